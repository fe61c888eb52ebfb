// swift-jsonrpc · SPDX-License-Identifier: MIT

// The program of the article "A JSON:API client in five minutes".
import AsyncHTTPClientTransport
import Foundation
import HTTPRequests
import JSONAPI

struct Article: Resource {
    var state = ResourceState<Article>()
    var title: String?
    var author = ToOne<Person>()

    static let schema = JSONAPISchema<Article>(
        "articles", .attribute("title", \.title), .relationship("author", \.author))
}

struct Person: Resource {
    var state = ResourceState<Person>()
    var name: String?

    static let schema = JSONAPISchema<Person>("people", .attribute("name", \.name))
}

guard let api = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8000") else {
    fatalError("The first argument is not a URL.")
}
let transport = AsyncHTTPClientTransport()
let client = JSONAPIClient(session: HTTPSession(transport: transport), baseURL: api)
let articles = DataSource<Article>(client: client)

// Three articles with their authors, in one request.
let page = try await articles.search().include { [$0.author] }.page(.number(1, size: 3)).result()
for article in page.resources {
    print(article.title ?? "", "by", article.author.name ?? "nobody")
}

// Create, change and delete.
var article = Article()
article.title = "Five minutes"
article.author = "1"
article = try await articles.create(article).resource()
article.title = "Four minutes"
article = try await articles.update(article).resource()  // sends the title only
print(article.title ?? "", "has the id", article.id?.rawValue ?? "none")
_ = try await articles.delete(article).result()

// The server's errors.
do {
    _ = try await articles.read(id: "1000000").resource()
} catch  where error.code == .notFound {
    print("There is no article 1000000.")
} catch {
    print(error)
}

await transport.shutDown()
