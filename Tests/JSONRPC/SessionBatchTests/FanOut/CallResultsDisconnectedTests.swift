// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Many calls with one consumer over clients without a connection for some time.
@Suite(.inTurn(within: .seconds(60)))
struct CallResultsDisconnectedTests {
    private let server = ReconnectingPeer()

    @Test func allRequestsAreSentWhenTheConnectionIsBack() async throws {
        let client = server.client(change: { $0.disconnectedCalls = .wait(atMost: 1) })
        try await client.connect()
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        let calls = ManyCalls(Numbered.upTo(3), over: client, inFlight: 3, timeout: .seconds(30))
        await server.clock.waitForSleeper(dueIn: .seconds(30))
        try await server.letConnect(after: .seconds(2))
        // The peer answers only when it has all requests.
        var requests: [ReceivedCall] = []
        for _ in 0..<3 { requests.append(try await server.peer.expectRequest("number")) }
        for request in requests { try server.peer.reply(to: request, result: request.params?[0] ?? .null) }
        try await calls.task.value
        #expect(calls.outcomes.elements.allSatisfy { $0.result == .success($0.index) })
        await client.close()
    }

    @Test func lostCallsThatAreSentAgainMakeRoomForTheOthers() async throws {
        let client = server.client(change: { $0.disconnectedCalls = .wait(atMost: 1) })
        try await client.connect()
        let requests = [Numbered(number: 0, isIdempotent: true)] + Numbered.upTo(3).dropFirst()
        let source = AsyncStream<Numbered>.makeStream()
        source.continuation.yield(requests[0])
        let outcomes = EventLog<(index: Int, result: Result<Int, CallError>)>()
        let task = Task { [stream = source.stream] in
            for try await outcome in client.results(of: stream, inFlight: 3) { outcomes.record(outcome) }
        }
        try await server.peer.expectRequest("number", params: [0])
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        for request in requests[1...] { source.continuation.yield(request) }
        source.continuation.finish()
        try await server.letConnect(after: .seconds(2))
        var received: [ReceivedCall] = []
        for _ in 0..<3 { received.append(try await server.peer.expectRequest("number")) }
        for request in received { try server.peer.reply(to: request, result: request.params?[0] ?? .null) }
        try await task.value
        #expect(outcomes.elements.allSatisfy { $0.result == .success($0.index) })
        await client.close()
    }

    /// A closing session refuses calls before the client has begun to reconnect.
    @Test func noMoreCallsBeginThanMayWaitWhileTheSessionIsClosing() async throws {
        let client = server.client(.always, change: { $0.disconnectedCalls = .wait(atMost: 2) })
        try await client.connect()
        async let slow = client.callRaw("slow")
        let slowRequest = try await server.peer.expectRequest("slow")
        let session = try #require(client.session)
        async let closing: Void = session.close()
        await session.reaches(.draining)
        let calls = ManyCalls(Numbered.upTo(5), over: client, inFlight: 5, timeout: .seconds(33))
        await server.clock.waitForSleeper(dueIn: .seconds(33))
        try server.peer.reply(to: slowRequest, result: 1)
        _ = try await slow
        await closing
        try await server.letConnect(after: .seconds(2))
        for _ in 0..<5 {
            let request = try await server.peer.expectRequest("number")
            try server.peer.reply(to: request, result: request.params?[0] ?? .null)
        }
        try await calls.task.value
        #expect(calls.outcomes.elements.count == 5)
        #expect(calls.outcomes.elements.allSatisfy { $0.result == .success($0.index) })
        await client.close()
    }

    /// Params that can be encoded only once.
    private struct Once: JSONRPCRequest {
        typealias Response = Int

        struct Params: Encodable, Sendable {
            let encodings: EventLog<Void>

            func encode(to encoder: any Encoder) throws {
                struct Spent: Error {}
                encodings.record(())
                guard encodings.elements.count == 1 else { throw Spent() }
                var container = encoder.unkeyedContainer()
                try container.encode(1)
            }
        }

        var isIdempotent: Bool
        let encodings = EventLog<Void>()
        var method: String { "once" }
        var params: Params { Params(encodings: encodings) }
    }

    @Test(arguments: [true, false])
    func paramsThatCannotBeEncodedAgainKeepTheDeliveryOfTheLostCall(isIdempotent: Bool) async throws {
        let client = server.client()
        try await client.connect()
        async let single = client.result(of: Once(isIdempotent: isIdempotent))
        let calls = ManyCalls([Once(isIdempotent: isIdempotent)], over: client)
        for _ in 0..<2 { try await server.peer.expectRequest("once") }
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        try await calls.task.value
        let expected = try #require(await single.callError?.clientError)
        let error = try #require(await calls.outcome(0)?.callError?.clientError)
        #expect(expected.code == (isIdempotent ? .encodingFailed : .connectionLost))
        #expect(expected.delivery == .outcomeUnknown)
        #expect(error.code == expected.code && error.delivery == expected.delivery && error.method == "once")
        await client.close()
    }
}
