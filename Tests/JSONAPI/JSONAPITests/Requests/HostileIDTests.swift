// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing

/// Ids, types and filter values that a URL could misinterpret.
@Suite("Hostile ids", .inTurn)
struct HostileIDTests {
    private let api: MockAPI

    init() throws { api = try MockAPI() }

    @Test(arguments: ["..", "."])
    func dotSegmentsAreRefused(_ id: String) async throws {
        let strategies: [RoutingStrategy] = [.router(ScrudRouter()), .path("/<type>/<id>"), .path("/v2/<type>/<id>/")]
        for strategy in strategies {
            let articles = DataSource<Article>(client: api.client, strategy: strategy)
            let delete = try await failure { () async throws(JSONAPIError) in
                try await articles.delete(id: Article.ID(id)).result()
            }
            #expect(delete.code == .request && delete.description.contains("dot segment"))
            let authors = try await failure { () async throws(JSONAPIError) in
                try await articles.relationship(\.authors, of: Article.ID(id)).replace()
            }
            #expect(authors.code == .request)
        }
        #expect(api.calls.isEmpty)
    }

    @Test(arguments: [
        ("a/../b", "a%2F..%2Fb"), ("%2e%2e", "%252e%252e"), ("a?b#c", "a%3Fb%23c"), ("ä ", "%C3%A4%20"), ("...", "..."),
    ])
    func idsStayInOneSegment(_ id: String, _ segment: String) async throws {
        let articles = DataSource<Article>(client: api.client)
        let templated = DataSource<Article>(client: api.client, strategy: .path("/<type>/<id>"))
        for source in [articles, templated] {
            api.answer(status: 204)
            _ = try await source.delete(id: Article.ID(id)).result()
        }
        #expect(api.calls == Array(repeating: "DELETE /v1/articles/\(segment)", count: 2))
    }

    @Test func dotsWithinASegmentAreSent() async throws {
        api.answer(status: 204)
        let articles = DataSource<Article>(client: api.client, strategy: .path("/<type>/id-<id>"))
        _ = try await articles.delete(id: "..").result()
        #expect(api.calls == ["DELETE /v1/articles/id-.."])
    }

    @Test func valuesOfFiltersCannotAddParameters() async throws {
        api.answer(#"{"data":[]}"#)
        let articles = DataSource<Article>(client: api.client)
        _ = try await articles.search().filter("title", "a&page[size]=1#b+c=d").result()
        #expect(api.calls == ["GET /v1/articles?filter%5Btitle%5D=a%26page%5Bsize%5D%3D1%23b%2Bc%3Dd"])
    }
}
