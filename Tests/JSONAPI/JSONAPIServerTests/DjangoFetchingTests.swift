// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import Newsroom
import TestSupport
import TestTurns
import Testing

/// Fetching resources of a Django server.
@Suite(.inTurn(within: .seconds(120)))
struct DjangoFetchingTests {
    @Test func includedResourcesAreReachedThroughRelationships() async throws {
        try await DjangoServer.withClient { client in
            let articles = DataSource<Article>(client: client)
            let response = try await articles.read(id: "1")
                .include { [$0.author, $0.comments.author, $0.tags] }.result()
            let article = try #require(response.resource)
            #expect(article.author.name == "Dan")
            #expect(article.comments.values.map(\.text) == ["First of 1", "Second of 1"])
            #expect(article.comments.values.map(\.author.name) == ["Yehuda", nil])
            #expect(article.comments.values.first?.article.title == "Article 01", "the way back to the primary data")
            #expect(article.tags.name == ["swift"])
            #expect(article.author.value?.articles.values.map(\.id) == ["1"], "the others are not in the document")
            #expect(article.links["self"]?.href?.hasSuffix("/articles/1") == true)
        }
    }

    @Test func aSparseFieldsetLeavesFieldsUnknown() async throws {
        try await DjangoServer.withClient { client in
            let articles = DataSource<Article>(client: client)
            var article = try #require(
                try await articles.read(id: "3").fields(Article.self, \.title).result().resource)
            #expect(article.isPresent(\.title))
            #expect(!article.isPresent(\.wordCount))
            #expect(!article.author.isLoaded)
            article.title = "Changed"
            article = try #require(try await articles.update(article).result().resource)
            #expect(article.title == "Changed")
            #expect(article.wordCount == 300, "the server sends all fields, and has kept those that were not sent")
            #expect(article.author.id == "1")
        }
    }

    @Test func resourcesAreSortedAndFiltered() async throws {
        try await DjangoServer.withClient { client in
            let articles = DataSource<Article>(client: client)
            let sorted = try await articles.search().sort([.descending("wordCount")]).page(.number(1, size: 2)).result()
            #expect(sorted.resources.map(\.wordCount) == [2500, 2400])
            let filtered = try await articles.search().filter("wordCount.lt", "400").filter("author", "1").result()
            #expect(filtered.resources.map(\.id) == ["1", "3"])
        }
    }

    @Test func aFaultyQueryIsAnError() async throws {
        try await DjangoServer.withClient { client in
            let search = DataSource<Article>(client: client).search()
            for request in [
                search.sort([.ascending("nothing")]), search.include(["nothing"]), search.filter("nothing", "1"),
            ] {
                let error = await #expect(throws: JSONAPIError.self) { try await request.result() }
                #expect(error?.code == .clientError)
                #expect(error?.status?.code == 400)
                #expect(error?.errors.first?.detail?.contains("nothing") == true)
            }
        }
    }

    @Test func pagesFollowEachOther() async throws {
        try await DjangoServer.withClient { client in
            let articles = DataSource<Article>(client: client)
            let request = articles.search().fields(Article.self, \.title).page(.number(1, size: 10))
            var sizes: [Int] = []
            for try await page in request.pages() { sizes.append(page.resources.count) }
            #expect(sizes == [10, 10, 5])
            let first = try await request.result()
            #expect(first.previous == nil)
            let last = try #require(try await first.last?.result())
            #expect(last.resources.map(\.title).last == "Article 25")
            #expect(last.next == nil)
            let middle = try #require(try await last.previous?.result())
            #expect(middle.resources.first?.title == "Article 11")
            #expect(try await middle.first?.result().resources.map(\.id) == first.resources.map(\.id))
            var titles: [String] = []
            for try await article in request.resources() { titles.append(article.title ?? "") }
            #expect(titles.count == 25)
        }
    }

    @Test func pagesWithOffsetsFollowEachOther() async throws {
        try await DjangoServer.withClient { client in
            let request = DataSource<Comment>(client: client).search().page(.offset(0, limit: 4))
            var texts: [String] = []
            for try await comment in request.resources() { texts.append(comment.text ?? "") }
            #expect(texts.count == 6)
            #expect(Set(texts).count == 6)
        }
    }

    @Test func aResourceThatIsNotThereIsNotFound() async throws {
        try await DjangoServer.withClient { client in
            let request = DataSource<Article>(client: client).read(id: "99")
            let error = await #expect(throws: JSONAPIError.self) { try await request.result() }
            #expect(error?.code == .notFound)
            #expect(error?.errors.first?.status == "404")
        }
    }

    @Test func anErrorInHTMLKeepsItsBody() async throws {
        try await DjangoServer.withClient { client in
            let error = await #expect(throws: JSONAPIError.self) {
                try await client.send(JSONAPIRequest(path: "failure"))
            }
            #expect(error?.code == .serverError)
            #expect(error?.status?.code == 500)
            #expect(error?.body.map { String(decoding: $0, as: UTF8.self) } == "<h1>Server Error</h1>")
        }
    }
}
