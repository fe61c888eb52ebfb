// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60))) struct ConcurrencyLimitTests {
    private func value(_ session: HTTPSession, _ path: String) async -> String {
        do throws(HTTPRequestError<[UInt8]>) {
            return try await session.send(Get<String>(path: path))
        } catch {
            return error.stage
        }
    }

    @Test func requestsWaitInOrder() async throws {
        let gates = (0..<6).map { _ in HTTPGate() }
        let transport = MockHTTPTransport()
        for index in 0..<6 {
            transport.when(.get("/\(index)"), reply: .held(by: gates[index], then: .text("\(index)")))
        }
        let limit = ConcurrencyLimitInterceptor(limit: 2)
        let session = HTTPSession(transport: transport, interceptors: [limit])
        try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<6 {
                group.addTask { await value(session, "/\(index)") }
                // The order of arrival is that of the numbers.
                if index < 2 {
                    try await transport.waitForRequests(index + 1)
                } else {
                    try await yieldUntil("request \(index) waits") { limit.waitingRequests >= index - 1 }
                }
            }
            #expect(transport.requests.count == 2)
            for index in 0..<4 {
                gates[index].open()
                #expect(try await group.next() == "\(index)")
                try await transport.waitForRequests(index + 3)
            }
            for gate in gates { gate.open() }
            try await group.waitForAll()
        }
        #expect(transport.requests.map { $0.head.path } == (0..<6).map { "/\($0)" })
    }

    @Test func aWaitingRequestCanBeCancelled() async throws {
        let gate = HTTPGate()
        let transport = MockHTTPTransport(reply: .held(by: gate, then: .text("ok")))
        let limit = ConcurrencyLimitInterceptor(limit: 1)
        let session = HTTPSession(transport: transport, interceptors: [limit])
        async let first = value(session, "/1")
        try await transport.waitForRequests(1)
        let waiting = Task { await value(session, "/2") }
        try await yieldUntil("the second request waits") { limit.waitingRequests >= 1 }
        async let last = value(session, "/3")
        try await yieldUntil("the last request waits") { limit.waitingRequests >= 2 }
        waiting.cancel()
        #expect(await waiting.value == "cancelled")
        gate.open()
        #expect(await first == "ok")
        #expect(await last == "ok")
        #expect(transport.requests.map { $0.head.path } == ["/1", "/3"])
    }

    @Test func aRequestIsInFlightUntilItsBodyWasRead() async throws {
        let (feed, limit) = (HTTPPieceFeed(), ConcurrencyLimitInterceptor(limit: 1))
        let transport = MockHTTPTransport()
        transport.when(.get("/file"), reply: .stream(feed))
        transport.when(.get("/2"), reply: .text("ok"))
        let session = HTTPSession(transport: transport, interceptors: [limit])
        let stream = try await session.send(Download())
        async let second = value(session, "/2")
        try await yieldUntil("the second request waits") { limit.waitingRequests >= 1 }
        feed.send([1])
        feed.finish()
        #expect(try await stream.collect(upTo: 10) == [1])
        #expect(await second == "ok")
    }

    @Test func releasedBodiesAndFailuresGiveTheirPlacesBack() async throws {
        let transport = MockHTTPTransport()
        transport.when(.get("/file"), reply: .stream(HTTPPieceFeed()))
        transport.when(.get("/lost"), reply: .failure(HTTPTransportError(.connectionLost, "lost")))
        transport.when(.get("/cut"), reply: .pieces([[1]], end: HTTPTransportError(.connectionLost, "cut")))
        transport.when(.get("/ok"), reply: .text("ok"))
        let session = HTTPSession(transport: transport, interceptors: [ConcurrencyLimitInterceptor(limit: 1)])
        for _ in 0..<3 {
            _ = try await session.send(Download())
            #expect(await value(session, "/lost") == "connection")
            #expect(await value(session, "/cut") == "connection")
            #expect(await value(session, "/ok") == "ok")
        }
    }
}
