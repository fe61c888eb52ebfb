// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import Synchronization
import TestTurns
import Testing

/// The samples of the articles about requests.
@Suite("Samples of requests", .inTurn)
struct RequestArticleTests {
    private let transport = MockHTTPTransport()
    private let clock = ImmediateHTTPClock()

    private func answer(_ document: String, status: Int = 200, fields: HTTPFields = [:]) {
        var fields = fields
        fields[.contentType] = JSONAPIMediaType.name
        transport.expect(reply: .text(document, status: status, fields: fields))
    }

    private func makeClient() throws -> JSONAPIClient {
        let baseURL = try #require(URL(string: "https://api.example.com/v1"))
        let client = JSONAPIClient(session: HTTPSession(transport: transport), baseURL: baseURL)
        return client
    }

    @Test func keepingResources() async throws {
        answer(
            """
            {"data":[{"type":"articles","id":"1","attributes":{"title":"A"}}],
             "included":[{"type":"people","id":"9","attributes":{"name":"Dan"}}]}
            """)
        let client = try makeClient()
        let titles = Mutex<[String]>([])
        @Sendable func print(_ title: String) {
            titles.withLock { $0.append(title) }
            // The loop ends with its task.
            withUnsafeCurrentTask { $0?.cancel() }
        }
        let loop = Task {
            let store = ResourceStore()
            let articles = DataSource<Article>(client: client, store: store)
            let page = try await articles.search().include { [$0.authors] }.result()
            let dan = try await store.resource(Person.ID("9"))
            for try await article in await store.changes(of: Article.ID("1")) {
                print(article?.title ?? "deleted")
            }
            return page.resources.count == 1 && dan?.name == "Dan"
        }
        #expect(try await loop.value)
        #expect(titles.withLock { $0 } == ["A"])
    }

    @Test func reading() async throws {
        answer(#"{"data":[{"type":"articles","id":"1","attributes":{"title":"A"}}]}"#)
        answer(#"{"data":null}"#)
        let client = try makeClient()
        let articles = DataSource<Article>(client: client)
        let page = try await articles.search()
            .include { [$0.authors.favoriteArticle, $0.editor] }
            .fields(Article.self, \.title, \.authors, \.editor)
            .sort([.descending("created"), .ascending("title")])
            .filter("topic", "swift", "json")
            .page(.number(1, size: 10))
            .result()
        for article in page.resources {
            print(article.title ?? "", article.editor.name ?? "")
        }
        let article = try await articles.read(id: "1").result().resource
        #expect(article == nil)
    }

    struct NewsRouter: ResourceRouter {
        func search(type: String) -> String { type == "people" ? "People" : "\(segment: type)" }
        func create(type: String) -> String { "drafts/\(segment: type)" }
        func read(type: String, id: String) -> String { "\(search(type: type))/\(segment: id)" }
        func update(type: String, id: String) -> String { read(type: type, id: id) }
        func delete(type: String, id: String) -> String { read(type: type, id: id) }
    }

    @Test func choosingPaths() async throws {
        answer(#"{"data":{"type":"people","id":"9"}}"#)
        answer(#"{"data":[]}"#)
        for _ in 0..<2 { answer(#"{"data":null}"#) }
        let client = try makeClient()
        let people = DataSource<Person>(client: client, strategy: .path("/People/<id>"))
        let articles = DataSource<Article>(client: client, strategy: .path("/<type>/<id>/"))
        let author = try await people.read(id: "9").resource()
        #expect(author.id == "9")
        _ = try await articles.search().result()
        let routed = DataSource<Person>(client: client, strategy: .router(NewsRouter()))
        _ = try await routed.read(id: "9").result()
        _ = try await routed.create(Person()).result()
        #expect(
            transport.requests.map(\.head.path) == [
                "/v1/People/9", "/v1/articles/", "/v1/People/9", "/v1/drafts/people",
            ])
    }

    @Test func anotherPath() async throws {
        answer(#"{"data":{"type":"people","id":"1"}}"#)
        let client = try makeClient()
        let people = DataSource<Person>(client: client, strategy: .path("/staff/members/<id>"))
        let dan = try await people.read(id: "1").resource()
        #expect(dan.id == "1")
        #expect(transport.requests.map(\.head.path) == ["/v1/staff/members/1"])
    }

    @Test func changing() async throws {
        answer(#"{"data":{"type":"articles","id":"1"}}"#, status: 201)
        for _ in 0..<2 { answer("", status: 204) }
        let articles = DataSource<Article>(client: try makeClient())
        var article = Article()
        article.title = "To TDD or Not"
        article.authors = ["5", "12"]
        article = try await articles.create(article).resource()
        article.title = "To TDD"
        article = try await articles.update(article).resource()
        _ = try await articles.delete(article).result()
        #expect(transport.requests.count == 3)
    }

    @Test func failing() async throws {
        answer(#"{"errors":[{"detail":"too long","source":{"pointer":"/data/attributes/title"}}]}"#, status: 422)
        let articles = DataSource<Article>(client: try makeClient())
        let article = Article()
        do {
            _ = try await articles.create(article).result()
        } catch  where error.code == .conflict {
            print("The article exists already.")
        } catch {
            for problem in error.errors(about: \Article.title) {
                print("Title:", problem.detail ?? "")
            }
        }
    }

    @Test func paging() async throws {
        answer(#"{"data":[],"links":{"next":"?page%5Bnumber%5D=2"}}"#)
        answer(#"{"data":[{"type":"articles","id":"1"}]}"#)
        let articles = DataSource<Article>(client: try makeClient())
        for try await article in articles.search().page(.number(1, size: 100)).resources() {
            print(article.title ?? "")
        }
        #expect(transport.requests.count == 2)
    }

    @Test func relationships() async throws {
        for _ in 0..<3 { answer("", status: 204) }
        answer(#"{"data":[]}"#)
        let articles = DataSource<Article>(client: try makeClient())
        try await articles.relationship(\.authors, of: "1").add("5", "12")
        try await articles.relationship(\.authors, of: "1").remove("9")
        try await articles.relationship(\.editor, of: "1").set(nil)
        let authors = try await articles.related(\.authors, of: "1").result().resources
        #expect(authors.isEmpty)
    }

    @Test func jobs() async throws {
        answer("", status: 202, fields: [.contentLocation: "/v1/jobs/5"])
        answer("", status: 303, fields: [.location: "/v1/articles/1"])
        answer(#"{"data":{"type":"articles","id":"1"}}"#)
        let client = try makeClient()
        let articles = DataSource<Article>(client: client)
        let article = Article()
        var polling = JobPolling()
        polling.clock = clock
        let response = try await articles.create(article).result()
        let finished = try await client.finish(response.response, polling: polling)
        let created = try finished.document.map { try JSONAPIDocument($0).resource(as: Article.self) }
        #expect(created??.id == "1")
    }

    @Test func raw() async throws {
        answer(#"{"data":[],"links":{"describedby":"/schema"}}"#)
        let client = try makeClient()
        let request = JSONAPIRequest(path: "/articles").include(["authors"])
        let response = try await client.send(request)
        let schema = response.url(of: response.document?.links?.describedby)
        #expect(schema == "https://api.example.com/schema")
    }
}
