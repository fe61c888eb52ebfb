// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPRequestsTesting
import JSONAPI
import JSONAPITesting
import Newsroom
import TestTurns
import Testing
import WireJSON

/// The typed client of JSONAPI with the mock server.
@Suite(.inTurn)
struct TypedClientTests {
    private func client(_ server: MockJSONAPIServer, retries: Bool = false) throws -> JSONAPIClient {
        var configuration = HTTPSessionConfiguration()
        configuration.clock = ImmediateHTTPClock()
        let session = HTTPSession(
            transport: server, interceptors: retries ? [RetryInterceptor()] : [], configuration: configuration)
        return JSONAPIClient(session: session, baseURL: try #require(URL(string: "https://example.com")))
    }

    private func articles(_ count: Int) -> [ResourceObject] {
        let dan = ResourceIdentifierObject(type: "people", id: "1")
        return [ResourceObject(type: "people", id: "1", attributes: ["name": "Dan"])]
            + (1...count).map { number in
                ResourceObject(
                    type: "articles", id: "\(number)",
                    attributes: ["title": .string("Article \(number)"), "wordCount": JSONValue(number)],
                    relationships: [
                        "author": RelationshipObject(data: .toOne(dan)),
                        "comments": RelationshipObject(data: .toMany([])),
                        "tags": RelationshipObject(data: .toMany([])),
                    ])
            } + [ResourceObject(type: "tags", id: "t", attributes: ["name": "swift"])]
    }

    @Test func theNewsroomWorksWithTheMockServer() async throws {
        let server = MockJSONAPIServer(resources: articles(7))
        let newsroom = NewsDesk(client: try client(server))
        let front = try await newsroom.frontPage(size: 2)
        #expect(front.map(\.title) == ["Article 7", "Article 6"])
        #expect(front.map(\.author.name) == ["Dan", "Dan"])
        #expect(try await newsroom.titles(by: "Dan").count == 7)
        #expect(server.requests.count == 3, "two of them for the pages of titles")

        var article = try await newsroom.publish("New", wordCount: 8, by: "1")
        #expect(article.id == "8")
        article = try await newsroom.correct(article, title: "Corrected")
        #expect(server.exchanges.last?.requestBody?.text?.contains("wordCount") == false, "the title only was sent")
        #expect(server.resource("articles", "8")?.attributes?["wordCount"]?.text == "8")
        #expect(try await newsroom.retract(article))
        #expect(try await newsroom.retract(article) == false)
    }

    @Test func aChangeWithoutADocumentIsConfirmed() async throws {
        var options = MockJSONAPIServerOptions()
        options.omitsUnchangedDocuments = true
        let server = MockJSONAPIServer(resources: articles(1), options: options)
        let source = DataSource<Article>(client: try client(server))
        var article = try #require(try await source.read(id: "1").result().resource)
        article.title = "Changed"
        let response = try await source.update(article).result()
        #expect(response.outcome == .noContent)
        #expect(response.resource?.isDirty == false)
        #expect(response.resource?.title == "Changed")
    }

    @Test func relationshipsAreChangedAtTheirURLs() async throws {
        let server = MockJSONAPIServer(resources: articles(1))
        let source = DataSource<Article>(client: try client(server))
        let article = try #require(try await source.read(id: "1").result().resource)
        try await source.relationship(\.tags, of: article).add("t")
        #expect(try await source.related(\.tags, of: article).result().resources.map(\.name) == ["swift"])
        try await source.relationship(\.author, of: article).set(nil as Person.ID?)
        #expect(server.resource("articles", "1")?.relationships?["author"]?.data == .toOne(nil))
    }

    @Test func atomicOperationsGiveTypedResults() async throws {
        let server = MockJSONAPIServer(resources: articles(1))
        var person = Person()
        person.name = "Tom"
        var (added, written): (AtomicReference<Person>?, AtomicReference<Article>?) = (nil, nil)
        let results = try await client(server).atomic(path: "operations") { transaction in
            let reference = try transaction.add(person)
            var article = Article()
            article.author = ToOne(.to(reference.identifier))
            added = reference
            written = try transaction.add(article)
        }
        #expect(try results.resource(try #require(added)).id == "2")
        #expect(try results.resource(try #require(written)).author.id == "2")

        let client = try client(server)
        let error = await #expect(throws: JSONAPIError.self) {
            try await client.atomic(path: "operations") { transaction in
                try transaction.add(person)
                transaction.remove(Person.ID("99"))
            }
        }
        #expect(error?.errors.first.flatMap { error?.operationIndex(of: $0) } == 1)
        #expect(server.resource("people", "3") == nil)
    }

    @Test func aLostResponseIsRetried() async throws {
        let server = MockJSONAPIServer(resources: articles(1))
        server.inject(.status(503))
        server.inject(.lostResponse)
        let source = DataSource<Article>(client: try client(server, retries: true))
        let article = try await source.read(id: "1").result().resource
        #expect(article?.title == "Article 1")
        #expect(server.requests.count == 3)
        try server.verify()
    }
}
