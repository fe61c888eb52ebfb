// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPRequestsTesting
import HTTPTypes
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60))) struct CancellationTests {
    private func outcome<Request: HTTPAPIRequest>(
        _ session: HTTPSession, _ request: Request
    ) async -> Result<Request.Response, HTTPRequestError<Request.Failure>> {
        do throws(HTTPRequestError<Request.Failure>) {
            return .success(try await session.send(request))
        } catch {
            return .failure(error)
        }
    }

    private func stage<Response, Failure>(_ result: Result<Response, HTTPRequestError<Failure>>) -> String {
        switch result {
        case .success: "success"
        case .failure(let error): error.stage
        }
    }

    @Test func cancellingTheTaskCancelsTheTransfer() async throws {
        let ended = HTTPGate()
        let transport = MockHTTPTransport(
            reply: MockHTTPReply { _ in
                defer { ended.open() }
                try await HTTPGate().pass()
                throw Planned()
            })
        let session = HTTPSession(transport: transport)
        let task = Task { stage(await outcome(session, Get<Int>())) }
        try await transport.waitForRequests(1)
        task.cancel()
        #expect(await task.value == "cancelled")
        try await ended.pass()
    }

    @Test func cancellingTheTaskWhileTheBodyIsReadCancelsTheTransfer() async throws {
        let feed = HTTPPieceFeed()
        let transport = MockHTTPTransport(reply: .stream(feed))
        let session = HTTPSession(transport: transport)
        let (pieces, sink) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            do throws(HTTPRequestError<[UInt8]>) {
                _ = try await session.send(Get<[UInt8]>(), downloadProgress: { _ in sink.yield() })
                return "success"
            } catch {
                return error.stage
            }
        }
        feed.send([1])
        for await _ in pieces { break }
        task.cancel()
        #expect(await task.value == "cancelled")
    }

    @Test func aCancelledTaskSendsNothing() async {
        let transport = MockHTTPTransport(reply: .json("1"))
        let session = HTTPSession(transport: transport)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return stage(await outcome(session, Get<Int>()))
        }
        #expect(await task.value == "cancelled")
        #expect(transport.requests.isEmpty)
    }

    @Test func requestsAreCancelledByType() async throws {
        let gate = HTTPGate()
        let transport = MockHTTPTransport(reply: .held(by: gate, then: .json("1")))
        let session = HTTPSession(transport: transport)
        async let first = outcome(session, Get<Int>(path: "/1"))
        async let second = outcome(session, Get<Int>(path: "/2"))
        async let other = outcome(session, Get<String>(path: "/3"))
        try await transport.waitForRequests(3)
        #expect(session.cancelRequests(with: Get<Int>.self) == 2)
        #expect(session.cancelRequests(with: CreateUser.self) == 0)
        gate.open()
        #expect(await stage(first) == "cancelled")
        #expect(await stage(second) == "cancelled")
        #expect(await stage(other) == "success")
    }

    @Test func aFilterLeavesOtherRequests() async throws {
        let gate = HTTPGate()
        let transport = MockHTTPTransport(reply: .held(by: gate, then: .json("1")))
        let session = HTTPSession(transport: transport)
        async let first = outcome(session, Get<Int>(path: "/1"))
        async let second = outcome(session, Get<Int>(path: "/2"))
        try await transport.waitForRequests(2)
        #expect(session.cancelRequests(with: Get<Int>.self) { $0.path == "/1" } == 1)
        gate.open()
        #expect(await stage(first) == "cancelled")
        #expect(await stage(second) == "success")
    }

    @Test func anEndedRequestIsNotCancelled() async throws {
        let session = HTTPSession(transport: MockHTTPTransport(reply: .json("1")))
        _ = try await session.send(Get<Int>())
        #expect(session.cancelRequests(with: Get<Int>.self) == 0)
    }

    @Test func theReadingOfAStreamCanBeCancelled() async throws {
        let feed = HTTPPieceFeed()
        let session = HTTPSession(transport: MockHTTPTransport(reply: .stream(feed)))
        let stream = try await session.send(Download())
        let task = Task { try await stream.collect(upTo: 10) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
