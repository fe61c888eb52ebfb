// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import JSONAPI
import URLSessionTransport

/// Lists, publishes, changes and deletes articles of a JSON:API server.
@main
struct Program {
    static func main() async {
        let transport = URLSessionTransport()
        do {
            guard let api = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8000") else {
                print("usage: swift run Newsroom [URL]")
                exit(2)
            }
            let client = JSONAPIClient(session: HTTPSession(transport: transport), baseURL: api)
            try await work(at: NewsDesk(client: client))
        } catch {
            print(error)
            exit(1)
        }
        await transport.shutDown()
    }

    private static func work(at desk: NewsDesk) async throws {
        for article in try await desk.frontPage(size: 3) {
            let author = article.author.name ?? "nobody"
            print("\(article.title ?? "") by \(author): \(article.wordCount ?? 0) words")
        }
        print("Articles by Yehuda:", try await desk.titles(by: "Yehuda").count)

        var article = try await desk.publish("A tyop", wordCount: 5000, by: "1")
        article = try await desk.correct(article, title: "A typo")
        try await desk.tag(article, ["00000000-0000-0000-0000-000000000001"])
        print("Published and corrected:", article.title ?? "")
        if let longest = try await desk.frontPage(size: 1).first {
            print("The longest article is now \(longest.title ?? ""), with \(longest.tags.count) tag.")
        }
        print("Retracted:", try await desk.retract(article), "and again:", try await desk.retract(article))
    }
}
