// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequestsTesting
import HTTPTypes
import Synchronization
import TestTurns
import Testing

@testable import HTTPRequests

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

    /// A server sends other fields with each 304, and longer values of fields that it sent before.
    @Test func answers304DoNotEnlargeTheHeadWithoutEnd() async throws {
        transport.expect(reply: .json("1", fields: [.eTag: #""a""#, .date: "0000", .contentType: "application/json"]))
        let long = String(repeating: "x", count: 60_000)
        var changes: [HTTPFields] = []
        for number in 1...50 {
            var fields: HTTPFields = [.date: "\(1000 + number)"]
            for other in 1...20 { fields[try #require(.init("x-\(number)-\(other)"))] = String(long.prefix(1000)) }
            changes.append(fields)
        }
        for number in 1...20 {
            changes.append([.date: "\(2000 + number)", try #require(.init("x-1-\(number)")): long])
        }
        let (request, session) = (Get<Int>(path: "/x"), session)
        #expect(try await session.send(request) == 1)
        for fields in changes {
            transport.expect(reply: .status(304, fields: fields))
            let (_, head) = try await session.response(for: request)
            #expect(head.headerFields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count } < 64 << 10)
            #expect(head.headerFields[.date] == fields[.date], "a field that fits is taken")
            #expect(head.headerFields[.eTag] == #""a""#)
        }
        let stored = try #require(await store.response(for: "https://api.example.com/x"))
        #expect(stored.heldBytes > 60 << 10 && stored.heldBytes < 65 << 10)
    }

    /// A head that was long from the beginning keeps its fields.
    @Test func answers304UpdateALongHead() async throws {
        let name = try #require(HTTPField.Name("x-long"))
        let long = String(repeating: "x", count: 70_000)
        transport.expect(reply: .json("1", fields: [.eTag: #""a""#, name: long]))
        transport.expect(reply: .status(304, fields: [.eTag: #""b""#, .server: "new"]))
        transport.expect(reply: .status(304, fields: [name: "short", .server: "new"]))
        let (request, session) = (Get<Int>(path: "/x"), session)
        #expect(try await session.send(request) == 1)
        let first = try await session.response(for: request).head.headerFields
        #expect(first[.eTag] == #""b""# && first[name] == long && first[.server] == nil)
        let second = try await session.response(for: request).head.headerFields
        #expect(second[.eTag] == #""b""# && second[name] == "short" && second[.server] == "new")
    }

    /// A store that keeps the last response.
    private final class LastResponse: HTTPResponseStore {
        let last = Mutex<StoredHTTPResponse?>(nil)
        func response(for url: String) async -> StoredHTTPResponse? { nil }
        func store(_ response: StoredHTTPResponse) async { last.withLock { $0 = response } }
    }

    @Test func aStoredBodyHasNoMuchSpareCapacity() async throws {
        let store = LastResponse()
        let pieces = [[UInt8]](repeating: [UInt8](repeating: 0x20, count: 100), count: 700) + [[0x31]]
        let transport = MockHTTPTransport(reply: .pieces(pieces, fields: [.eTag: #""a""#]))
        let session = HTTPSession(transport: transport, interceptors: [RevalidationInterceptor(store: store)])
        #expect(try await session.send(Get<Int>(path: "/x")) == 1)
        let body = try #require(store.last.withLock { $0 }).body
        #expect(body.count == 70_001)
        #expect(body.capacity - body.count <= body.count / 8)
    }

    private func response(_ url: String, _ bytes: Int) -> StoredHTTPResponse {
        StoredHTTPResponse(
            url: url, selectingFields: [:], head: HTTPResponse(status: .ok), body: Array(repeating: 1, count: bytes))
    }

    @Test func theStoreCountsAllBytes() async throws {
        let long = String(repeating: "x", count: 10_000)
        let name = try #require(HTTPField.Name(String(long.prefix(5000))))
        let changes: [(inout StoredHTTPResponse) -> Void] = [
            { $0.url += long }, { $0.selectingFields[.accept] = long }, { $0.head.headerFields[.server] = long },
            { $0.head.headerFields[name] = "" }, { $0.head.status = .init(code: 200, reasonPhrase: long) },
            { $0.head.headerFields[values: .setCookie] = Array(repeating: "", count: 47) },
            { $0.body.reserveCapacity(10_000) }, { $0.body = Array(repeating: 1, count: 10_000) },
        ]
        for (number, change) in changes.enumerated() {
            let store = MemoryHTTPResponseStore(maximumBytes: 100_000)
            for url in 0..<20 {
                var response = response("\(url)", 1)
                change(&response)
                await store.store(response)
            }
            #expect((5...9).contains(store.count), "change \(number): \(store.count)")
        }
    }

    @Test func theStoreDropsWhatWasNotUsed() async throws {
        let size = response("a", 3).heldBytes
        let store = MemoryHTTPResponseStore(maximumBytes: 3 * size + 64, maximumResponses: 3)
        for url in ["a", "b", "c"] { await store.store(response(url, 3)) }
        _ = await store.response(for: "a")
        await store.store(response("d", 3))
        #expect(await store.response(for: "b") == nil)
        #expect(await store.response(for: "a") != nil)
        await store.store(response("a", 2 * size))
        #expect(store.count == 1)
        await store.store(response("a", 4 * size))
        #expect(store.count == 0)
        await store.store(response("e", 3))
        store.removeAll()
        #expect(await store.response(for: "e") == nil)
    }
}
