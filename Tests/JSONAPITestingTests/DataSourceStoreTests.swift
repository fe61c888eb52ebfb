// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import JSONAPI
import JSONAPITesting
import NewsroomExample
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

    @Test func whatWasFetchedIsInTheStoreWithWhatWasIncluded() async throws {
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
