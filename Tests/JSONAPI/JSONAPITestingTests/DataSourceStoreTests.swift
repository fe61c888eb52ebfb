// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import JSONAPITesting
import Newsroom
import TestTurns
import Testing
import WireJSON

/// Data sources whose responses go into a store.
@Suite(.inTurn)
struct DataSourceStoreTests {
    private let server = MockJSONAPIServer.blog()
    private let store = JSONAPI.ResourceStore()

    private func articles() throws -> DataSource<Article> {
        let client = JSONAPIClient(
            session: HTTPSession(transport: server), baseURL: try #require(URL(string: "https://example.com")))
        return DataSource(client: client, store: store)
    }

    @Test func fetchedAndIncludedResourcesAreInTheStore() async throws {
        let articles = try articles()
        _ = try await articles.search().include { [$0.author] }.result()
        #expect(await store.count == 5)
        let first = try #require(try await store.resource(Article.ID("1")))
        #expect(first.title == "First" && first.author.value?.name == "Dan")
        _ = try await articles.related(\.comments, of: "1").result()
        #expect(try await store.resource(Comment.ID("1"))?.text == "Yes")
    }

    @Test func pagesAndSparseFieldsetsAddUp() async throws {
        let articles = try articles()
        _ = try await articles.read(id: "1").result()
        _ = try await articles.read(id: "1").fields(["articles": ["title"]]).result()
        let first = try #require(try await store.resource(Article.ID("1")))
        #expect(first.author.id == "1", "the sparse response had no author")
    }

    @Test func allPagesReachTheStore() async throws {
        var count = 0
        for try await article in try articles().search().page(.number(1, size: 1)).resources() {
            #expect(try await store.resource(try #require(article.id))?.title == article.title)
            count += 1
        }
        #expect(count > 1)
        #expect(await store.count == count)
    }

    @Test func createdUpdatedAndDeletedResourcesAreFollowed() async throws {
        let articles = try articles()
        var new = Article()
        new.title = "New"
        var created = try await articles.create(new).resource()
        let id = try #require(created.id)
        #expect(try await store.resource(id)?.title == "New")
        created.title = "Newer"
        #expect(try await store.resource(id)?.title == "New", "the change is not confirmed yet")
        _ = try await articles.update(created).result()
        #expect(try await store.resource(id)?.title == "Newer")
        _ = try await articles.delete(id: id).result()
        #expect(try await store.resource(id) == nil)
    }

    private static func client(_ replies: (status: Int, body: String)...) throws -> JSONAPIClient {
        let transport = MockHTTPTransport()
        for (status, body) in replies {
            var fields: HTTPFields = [:]
            if !body.isEmpty { fields[.contentType] = JSONAPIMediaType.name }
            transport.expect(reply: .text(body, status: status, fields: fields))
        }
        return JSONAPIClient(
            session: HTTPSession(transport: transport), baseURL: try #require(URL(string: "https://example.com")))
    }

    /// After 204, only the sent fields are confirmed: the copy may be older than the store.
    @Test func anUpdateWithoutAResponseChangesOnlyWhatWasSent() async throws {
        let old = #"{"data":{"type":"articles","id":"1","attributes":{"title":"A","bodyText":"a","wordCount":1}}}"#
        let newer = #"{"data":{"type":"articles","id":"1","attributes":{"title":"B"}}}"#
        let client = try Self.client((200, old), (200, newer), (204, ""))
        let articles = DataSource<Article>(client: client, store: store)
        var copy = try await articles.read(id: "1").resource()
        _ = try await articles.read(id: "1").result()
        copy.wordCount = 2
        _ = try await articles.update(copy).result()
        let stored = try #require(try await store.resource(Article.ID("1")))
        #expect(stored.title == "B" && stored.wordCount == 2)
    }

    @Test func aNewResourceWithoutAResponseIsKeptUnderItsOwnID() async throws {
        let articles = DataSource<Article>(client: try Self.client((204, "")), store: store)
        var new = Article()
        new.id = "own"
        new.title = "New"
        _ = try await articles.create(new).result()
        #expect(try await store.resource(Article.ID("own"))?.title == "New")
    }

    @Test func anAcceptedRequestChangesNothingYet() async throws {
        let job = #"{"data":{"type":"jobs","id":"7","attributes":{"status":"pending"}}}"#
        let articles = DataSource<Article>(client: try Self.client((202, job)), store: store)
        var new = Article()
        new.id = "own"
        new.title = "New"
        _ = try await articles.create(new).result()
        #expect(await store.count == 0)
    }

    @Test func failedRequestsLeaveTheStoreAlone() async throws {
        let articles = try articles()
        var first = try await articles.read(id: "1").resource()
        first.title = "Changed"
        server.remove("articles", "1")
        await #expect(throws: JSONAPIError.self) { try await articles.update(first).result() }
        await #expect(throws: JSONAPIError.self) { try await articles.read(id: "1").result() }
        #expect(try await store.resource(Article.ID("1"))?.title == "First")
    }
}
