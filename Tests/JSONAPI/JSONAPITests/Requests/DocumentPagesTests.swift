// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import JSONAPI
import TestTurns
import Testing
import WireJSON

@Suite("Pages of documents", .inTurn)
struct DocumentPagesTests {
    private func page(_ id: Int, next: String?) -> String {
        let next = next.map { #""\#($0)""# } ?? "null"
        return #"{"data":[{"type":"a","id":"\#(id)"}],"links":{"next":\#(next)}}"#
    }

    /// Reads all pages, and returns the ids and the failure.
    private func ids(_ pages: DocumentPages) async -> (ids: [String], error: JSONAPIError?) {
        var ids: [String] = []
        do {
            for try await page in pages { ids += page.document?.data?.resources.compactMap(\.id) ?? [] }
        } catch {
            return (ids, error)
        }
        return (ids, nil)
    }

    @Test func nextLinksAreFollowedWithTheirQuery() async throws {
        let api = try MockAPI()
        api.answer(page(1, next: "/v1/a?page%5Bnumber%5D=2&page%5Bsize%5D=1"))
        api.answer(page(2, next: "?page%5Bnumber%5D=3&page%5Bsize%5D=1&x=a+b"))
        api.answer(page(3, next: nil))
        let (ids, error) = await ids(api.client.pages(JSONAPIRequest(path: "a").page(.number(1, size: 1))))
        #expect(ids == ["1", "2", "3"])
        #expect(error == nil)
        #expect(
            api.calls == [
                "GET /v1/a?page%5Bnumber%5D=1&page%5Bsize%5D=1", "GET /v1/a?page%5Bnumber%5D=2&page%5Bsize%5D=1",
                "GET /v1/a?page%5Bnumber%5D=3&page%5Bsize%5D=1&x=a+b",
            ])
    }

    @Test func linksThatLeadBackEndTheSequence() async throws {
        let api = try MockAPI()
        api.answer(page(1, next: "/v1/a"))
        let own = await ids(api.client.pages(JSONAPIRequest(path: "a")))
        #expect(own.ids == ["1"])
        #expect(own.error?.code == .pageLoop)

        api.answer(page(1, next: "/v1/a?2"))
        api.answer(page(2, next: "/v1/a?3"))
        api.answer(page(3, next: "https://api.example.com/v1/a?2"))
        let cycle = await ids(api.client.pages(JSONAPIRequest(path: "a")))
        #expect(cycle.ids == ["1", "2", "3"])
        #expect(cycle.error?.code == .pageLoop)
    }

    @Test func endlessChainsEndAtTheLimit() async throws {
        let api = try MockAPI()
        for number in 1...3 { api.answer(page(number, next: "?p=\(number)")) }
        let (ids, error) = await ids(api.client.pages(JSONAPIRequest(path: "a"), limit: 3))
        #expect(ids == ["1", "2", "3"])
        #expect(error?.code == .pageLoop)
        #expect(api.calls.count == 3)
    }

    @Test func failuresAndOtherOriginsEndTheSequence() async throws {
        let api = try MockAPI()
        api.answer(page(1, next: "https://evil.example/a"))
        let evil = await ids(api.client.pages(JSONAPIRequest(path: "a")))
        #expect(evil.ids == ["1"])
        #expect(evil.error?.code == .link)
        api.answer(page(1, next: "?2"))
        api.answer(status: 500)
        var iterator = api.client.pages(JSONAPIRequest(path: "a")).makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        await #expect(throws: JSONAPIError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func cancellationEndsTheSequence() async throws {
        let api = try MockAPI()
        api.answer(page(1, next: "?2"))
        api.transport.expect(reply: .none)
        let pages = api.client.pages(JSONAPIRequest(path: "a"))
        let task = Task { await self.ids(pages) }
        try await api.transport.waitForRequests(2)
        task.cancel()
        let (ids, error) = await task.value
        #expect(ids == ["1"])
        #expect(error?.code == .cancelled)
    }

    @Test func userInfoIsKeptOnAllPages() async throws {
        struct Counting: JSONAPISender {
            func execute(_ request: JSONAPIRequest) async throws -> RawResponse {
                #expect(request.userInfo["account"] as? String == "a")
                let path = try request.plainPath()
                // The path of the first page, and the URL of the second one.
                let id = path == "a" ? "a" : path == "https://api.example.com/b" ? "b" : path
                let next = id == "a" ? #""b""# : "null"
                return RawResponse(
                    body: Array(#"{"data":[{"type":"a","id":"\#(id)"}],"links":{"next":\#(next)}}"#.utf8),
                    url: "https://api.example.com/\(id)")
            }
        }
        let (ids, error) = await ids(Counting().pages(JSONAPIRequest(path: "a").userInfo(["account": "a"])))
        #expect(ids == ["a", "b"])
        #expect(error == nil)
    }

    @Test func cursorPaginationTellsCursorsAndRefusals() async throws {
        let resource = ResourceObject(type: "a", id: "1", meta: ["page": ["cursor": "c"]])
        #expect(CursorPagination.cursor(in: resource.meta) == "c")
        #expect(CursorPagination.cursor(in: ["page": [1]]) == nil)
        #expect(CursorPagination.cursor(in: nil) == nil)
        let base = "https://jsonapi.org/profiles/ethanresnick/cursor-pagination/"
        let api = try MockAPI()
        api.answer(
            #"""
            {"errors":[{"links":{"type":["\#(base)max-size-exceeded"]},"meta":{"page":{"maxSize":100}}},
            {"links":{"type":"\#(base)unsupported-sort"}},{"links":{"type":"\#(base)range-pagination-not-supported"}},
            {"links":{"type":"https://evil.example/unsupported-sort"}},{"links":{"type":[5]}},{}]}
            """#, status: 400)
        var request = JSONAPIRequest(path: "a").page(.cursor(after: "c", size: 1000))
        request.profiles = [CursorPagination.profile]
        let sent = request
        let error = try await failure { () async throws(JSONAPIError) in try await api.client.send(sent) }
        #expect(
            error.errors.map(CursorPagination.refusal) == [
                .pageTooLarge(maximum: 100), .unsupportedSort, .rangesUnsupported, nil, nil, nil,
            ])
        let accept = api.transport.requests.first?.head.headerFields[.accept]
        #expect(accept == #"application/vnd.api+json;profile="\#(CursorPagination.profile)""#)
    }
}
