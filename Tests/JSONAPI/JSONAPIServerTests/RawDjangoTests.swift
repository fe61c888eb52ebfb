// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import TestSupport
import TestTurns
import Testing
import WireJSON

/// The documents of a Django server at the raw level.
@Suite(.inTurn(within: .seconds(120)))
struct RawDjangoTests {
    @Test func compoundDocumentsAreReadAndConform() async throws {
        try await DjangoServer.run { server in
            let exchange = try await RawExchange(.get, "\(server.url)/articles/1?include=author,comments.author,tags")
            #expect(exchange.status == 200)
            #expect(exchange.fields[.contentType] == JSONAPIMediaType.name)
            #expect(try exchange.findings() == [])
            let document = try exchange.document
            let index = ResourceIndex(document)
            let article = try #require(document.data?.resources.first)
            let author = try #require(article.relationships?["author"]?.data?.identifiers.first)
            #expect(try index[author]?.attributes?["name"]?.decode(as: String.self) == "Dan")
            #expect(document.included?.map(\.type) == ["comments", "comments", "people", "people", "tags"])
            #expect(article.meta?["isLong"]?.text == "false")
        }
    }

    @Test func pagesHaveAbsoluteLinks() async throws {
        try await DjangoServer.run { server in
            var url = "\(server.url)/articles?page%5Bsize%5D=10&fields%5Barticles%5D=title"
            var counts: [Int] = []
            while true {
                let exchange = try await RawExchange(.get, url)
                #expect(try exchange.findings() == [])
                counts.append(try exchange.document.data?.resources.count ?? 0)
                guard let next = try exchange.document.links?.next?.href else { break }
                #expect(next.hasPrefix(server.url))
                url = next
            }
            #expect(counts == [10, 10, 5])
        }
    }

    @Test func statusesAndErrorsAreThoseOfTheSpecification() async throws {
        try await DjangoServer.run { server in
            let articles = "\(server.url)/articles"
            let created = try await RawExchange(
                .post, articles, body: #"{"data":{"type":"articles","attributes":{"title":"New"}}}"#)
            #expect(created.status == 201)
            #expect(created.fields[.location] == "\(articles)/26")
            #expect(try created.document.data?.resources.first?.links?["self"]?.href == "\(articles)/26")
            let faults: [(status: Int, exchange: RawExchange)] = [
                (400, try await RawExchange(.get, "\(articles)?sort=nothing")),
                (400, try await RawExchange(.get, "\(articles)?include=nothing")),
                (404, try await RawExchange(.get, "\(articles)/99")),
                (406, try await RawExchange(.get, articles, accept: "text/html")),
                (409, try await RawExchange(.post, articles, body: #"{"data":{"type":"people"}}"#)),
            ]
            for (status, exchange) in faults {
                #expect(exchange.status == status)
                #expect(try exchange.document.errors?.first?.status == "\(status)")
                #expect(try exchange.findings() == [])
            }
            #expect(try await RawExchange(.delete, "\(articles)/26").status == 204)
            #expect(
                try await RawExchange(.get, "\(server.url)/failure").fields[.contentType]?.hasPrefix("text/html")
                    == true)
        }
    }

    @Test func relationshipsAreChangedAtTheirURLs() async throws {
        try await DjangoServer.run { server in
            let author = "\(server.url)/articles/1/relationships/author"
            let tags = "\(server.url)/articles/5/relationships/tags"
            let tag = #"{"data":[{"type":"tags","id":"00000000-0000-0000-0000-000000000001"}]}"#
            let emptied = try await RawExchange(.patch, author, body: #"{"data":null}"#)
            #expect(emptied.status == 200)
            #expect(try await RawExchange(.get, author).document.data == .single(nil))
            #expect(try await RawExchange(.post, tags, body: tag).status == 200)
            #expect(try await RawExchange(.post, tags, body: tag).status == 204, "the tag is there already")
            #expect(try await RawExchange(.delete, tags, body: tag).status == 200)
            #expect(try await RawExchange(.delete, tags, body: tag).status == 204, "the tag is gone already")
            #expect(try await RawExchange(.patch, tags, body: tag).document.data?.resources.count == 1)
        }
    }
}
