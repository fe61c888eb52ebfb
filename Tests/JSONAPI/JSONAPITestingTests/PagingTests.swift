// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONAPI
import JSONAPITesting
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn)
struct PagingTests {
    private static let strategies: [MockPaging] = [.pageNumber(size: 3), .offset(limit: 3), .cursor(size: 3)]

    private func server(_ paging: MockPaging, count: Int = 10) -> MockJSONAPIServer {
        var options = MockJSONAPIServerOptions()
        options.paging = paging
        let resources = (0..<count).map { number in
            ResourceObject(type: "items", attributes: ["even": .bool(number.isMultiple(of: 2))])
        }
        return MockJSONAPIServer(resources: resources, options: options)
    }

    private func path(_ link: JSONAPILink?) -> String? {
        link?.href.map { String($0.dropFirst("https://example.com".count)) }
    }

    @Test(arguments: strategies) func theNextLinksLeadThroughAllPages(_ paging: MockPaging) async throws {
        let server = server(paging)
        var next: String? = "/items?sort=-id&fields%5Bitems%5D="
        var ids: [String] = []
        var sizes: [Int] = []
        var pages: [[String]] = []
        var last: RawDocument?
        while let path = next {
            let reply = try await server.exchange(.get, path)
            pages.append(reply.ids.compactMap { $0 })
            ids += pages.last ?? []
            sizes.append(reply.ids.count)
            last = reply.document
            next = self.path(reply.document?.links?.next)
        }
        #expect(sizes == [3, 3, 3, 1])
        #expect(ids == (1...10).map(String.init).sorted(by: >))
        let previous = try await server.exchange(.get, try #require(path(last?.links?.prev)))
        #expect(previous.ids == pages[2])
    }

    @Test(arguments: strategies) func anEmptyCollectionHasOnePage(_ paging: MockPaging) async throws {
        let reply = try await server(paging, count: 0).exchange(.get, "/items")
        #expect(reply.ids.isEmpty)
        #expect(reply.document?.links?.next == .null)
        #expect(reply.document?.links?.prev == .null)
    }

    @Test func theLastPageIsLinked() async throws {
        let reply = try await server(.pageNumber(size: 3)).exchange(.get, "/items?page%5Bsize%5D=4&page%5Bnumber%5D=2")
        #expect(reply.ids == ["5", "6", "7", "8"])
        let last = try await server(.pageNumber(size: 3)).exchange(
            .get, try #require(path(reply.document?.links?.last)))
        #expect(last.ids == ["9", "10"])
        #expect(reply.document?.meta?["page"]?.text == #"{"total":10}"#)
    }

    @Test(arguments: [
        "page[size]=0", "page[size]=1001", "page[size]=x", "page[number]=-1", "page[number]=99999999999999999999",
        "page[offset]=1",
    ])
    func aWrongPageIsRefused(_ query: String) async throws {
        let reply = try await server(.pageNumber(size: 3)).exchange(.get, "/items?\(query)")
        #expect(reply.status == 400)
        #expect(reply.source?.parameter == String(query.prefix { $0 != "=" }))
    }

    @Test func cursorsAreInTheMetaOfResources() async throws {
        let server = server(.cursor(size: 3))
        let reply = try await server.exchange(.get, "/items")
        let second = try #require(reply.document?.data?.resources[1])
        let cursor = try #require(try second.meta?["page"]?.decode(as: [String: String].self)["cursor"])
        #expect(try await server.exchange(.get, "/items?page[after]=\(cursor)&page[size]=2").ids == ["3", "4"])
        #expect(try await server.exchange(.get, "/items?page[before]=\(cursor)").ids == ["1"])
        #expect(try await server.exchange(.get, "/items?page[after]=nothing").source?.parameter == "page[after]")
    }

    @Test func aPageOfCursorsThatIsTooLargeIsRefusedAsTheProfileSays() async throws {
        let reply = try await server(.cursor(size: 3)).exchange(.get, "/items?page[size]=1001")
        let error = try #require(reply.document?.errors?.first)
        #expect(CursorPagination.refusal(error) == .pageTooLarge(maximum: 1000))
    }

    @Test func linkageHasPages() async throws {
        let server = server(.pageNumber(size: 2))
        let identifiers = (1...5).map { ResourceIdentifierObject(type: "items", id: String($0)) }
        server.insert(
            ResourceObject(
                type: "lists", id: "1", relationships: ["items": RelationshipObject(data: .toMany(identifiers))]))
        let first = try await server.exchange(.get, "/lists/1/relationships/items")
        #expect(first.ids == ["1", "2"])
        let second = try await server.exchange(.get, try #require(path(first.document?.links?.next)))
        #expect(second.ids == ["3", "4"])
    }

    @Test func withoutPagesTheFamilyIsRefused() async throws {
        let server = server(.none)
        #expect(try await server.exchange(.get, "/items").ids.count == 10)
        #expect(try await server.exchange(.get, "/items?page[size]=1").status == 400)
    }
}
