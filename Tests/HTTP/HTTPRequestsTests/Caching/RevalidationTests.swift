// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing

@Suite("Revalidation of stored responses", .inTurn(within: .seconds(60))) struct RevalidationTests {
    private let transport = MockHTTPTransport()
    private let store = MemoryHTTPResponseStore()

    private var session: HTTPSession {
        HTTPSession(transport: transport, interceptors: [RevalidationInterceptor(store: store)])
    }

    private func conditions() -> [String?] {
        transport.requests.map { $0.head.headerFields[.ifNoneMatch] ?? $0.head.headerFields[.ifModifiedSince] }
    }

    @Test func aResponseThatIsCurrentIsNotTransferredAgain() async throws {
        transport.expect(reply: .json("1", fields: [.eTag: #""a""#, .server: "old", .date: "then"]))
        transport.expect(reply: .status(304, fields: [.eTag: #"W/"a""#, .date: "now", .contentLength: "7"]))
        transport.expect(reply: .status(304))
        transport.expect(reply: .json("2", fields: [.eTag: #""b""#]))
        transport.expect(reply: .status(304))
        let request = Get<Int>(path: "/x")
        #expect(try await session.send(request) == 1)
        let (value, head) = try await session.response(for: request)
        #expect(value == 1)
        #expect(head.status == .ok)
        #expect(head.headerFields[.date] == "now")
        #expect(head.headerFields[.server] == "old")
        #expect(head.headerFields[.contentLength] == nil)
        #expect(try await session.send(request) == 1)
        #expect(try await session.send(request) == 2)
        #expect(try await session.send(request) == 2)
        #expect(conditions() == [nil, #""a""#, #"W/"a""#, #"W/"a""#, #""b""#])
        #expect(store.count == 1)
    }

    @Test func aDateIsAConditionWithoutATag() async throws {
        let date = "Wed, 21 Oct 2015 07:28:00 GMT"
        transport.expect(reply: .json("1", fields: [.lastModified: date]))
        transport.expect(reply: .status(304))
        for _ in 0..<2 { #expect(try await session.send(Get<Int>(path: "/x")) == 1) }
        #expect(conditions() == [nil, date])
    }

    @Test(arguments: [
        MockHTTPReply.json("1"), .json("1", fields: [.eTag: #""a""#, .cacheControl: "private, No-Store"]),
        .json("1", fields: [.eTag: #""a""#, .cacheControl: #"private="x, y", no-store"#]),
        .json("1", fields: [.eTag: #""a""#, .cacheControl: #"private="x, no-store"#]),
        .json("1", fields: [.eTag: #""a""#, .vary: "accept, *"]),
        .json("1", fields: [.eTag: #""a""#, .vary: "not a name"]), .json("1", status: 203, fields: [.eTag: #""a""#]),
        .json(String(repeating: " ", count: 2000) + "1", fields: [.eTag: #""a""#]),
    ])
    func otherResponsesAreNotStored(reply: MockHTTPReply) async throws {
        transport.when(.any, reply: reply)
        var interceptor = RevalidationInterceptor(store: store)
        interceptor.maximumBodyBytes = 1000
        let session = HTTPSession(transport: transport, interceptors: [interceptor])
        for _ in 0..<2 { #expect(try await session.send(Get<Int>(path: "/x")) == 1) }
        #expect(conditions() == [nil, nil])
        #expect(store.count == 0)
    }

    @Test func bodiesThatWereNotReadToTheirEndAreNotStored() async throws {
        let cut = HTTPTransportError(.connectionLost, "cut")
        transport.expect(reply: .pieces([[0x31]], fields: [.eTag: #""a""#], end: cut))
        transport.expect(reply: .pieces([[0x31], [0x31]], fields: [.eTag: #""a""#]))
        await #expect(throws: HTTPRequestError<[UInt8]>.self) { try await session.send(Get<Int>(path: "/x")) }
        var pieces = try await session.send(Download()).makeAsyncIterator()
        #expect(try await pieces.next() == [0x31])
        #expect(store.count == 0)
    }

    @Test func requestsWithOtherFieldsAreNotConditional() async throws {
        transport.when(.any, reply: .json("1", fields: [.eTag: #""a""#, .vary: "Accept-Language"]))
        var requests: [Get<Int>] = []
        for fields: HTTPFields in [
            [.acceptLanguage: "de"], [.acceptLanguage: "de"], [.acceptLanguage: "en"], [:],
            [.acceptLanguage: "de", .authorization: "me"], [.acceptLanguage: "de", .authorization: "you"],
            [.acceptLanguage: "de", .authorization: "you", .userAgent: "other"],
        ] { requests.append(Get<Int>(path: "/x", headerFields: fields)) }
        for request in requests { #expect(try await session.send(request) == 1) }
        let tag = #""a""#
        #expect(conditions() == [nil, tag, nil, nil, nil, nil, tag])
    }

    @Test func otherRequestsAreLeftAlone() async throws {
        transport.when(.any, reply: .json("1", fields: [.eTag: #""a""#]))
        let session = session
        #expect(try await session.send(Get<Int>(path: "/x")) == 1)
        _ = try await session.send(Get<Int>(path: "/x", method: .post))
        _ = try await session.send(Get<Int>(path: "/y"))
        _ = try await session.send(Get<Int>(path: "/x", headerFields: [.range: "bytes=0-0"]))
        #expect(conditions() == [nil, nil, nil, nil])
        // A request with a condition of its own gets the server's answer unchanged.
        transport.expect(reply: .status(304))
        let error = await #expect(throws: HTTPRequestError<[UInt8]>.self) {
            try await session.send(Get<Int>(path: "/x", headerFields: [.ifNoneMatch: #""mine""#]))
        }
        guard case .status(let failure)? = error else {
            Issue.record("The error is \(String(describing: error)).")
            return
        }
        #expect(failure.head.status == .notModified)
    }

    @Test func anAnswer304ToARequestWithoutAConditionIsAStatusError() async throws {
        transport.when(.any, reply: .status(304, fields: [.eTag: #""a""#]))
        let error = await #expect(throws: HTTPRequestError<[UInt8]>.self) {
            try await session.send(Get<Int>(path: "/x"))
        }
        #expect(error?.stage == "status")
        #expect(store.count == 0)
    }

    @Test func theStoreDropsWhatWasNotUsed() async throws {
        func response(_ url: String, _ bytes: Int) -> StoredHTTPResponse {
            StoredHTTPResponse(
                url: url, selectingFields: [:], head: HTTPResponse(status: .ok), body: Array(repeating: 1, count: bytes)
            )
        }
        let store = MemoryHTTPResponseStore(maximumBytes: 10, maximumResponses: 3)
        for url in ["a", "b", "c"] { await store.store(response(url, 3)) }
        _ = await store.response(for: "a")
        await store.store(response("d", 3))
        #expect(await store.response(for: "b") == nil)
        #expect(await store.response(for: "a") != nil)
        await store.store(response("a", 10))
        #expect(store.count == 1)
        await store.store(response("a", 11))
        #expect(store.count == 0)
        await store.store(response("e", 10))
        store.removeAll()
        #expect(await store.response(for: "e") == nil)
    }
}
