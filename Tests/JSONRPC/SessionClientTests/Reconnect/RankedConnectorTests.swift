// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import Synchronization
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60))) struct EndpointRankingTests {
    private static func at(_ seconds: Int) -> SessionTime { SessionTime.zero.advanced(by: .seconds(seconds)) }

    @Test func theOrderIsThatOfTheProgramUntilSomethingFails() {
        var ranking = EndpointRanking(count: 3, memory: .seconds(60))
        #expect(ranking.order(now: Self.at(0)) == [0, 1, 2])
        ranking.failed(0, now: Self.at(1))
        #expect(ranking.order(now: Self.at(1)) == [1, 2, 0])
        ranking.failed(1, now: Self.at(2))
        ranking.failed(1, now: Self.at(3))
        #expect(ranking.order(now: Self.at(3)) == [2, 0, 1])
        ranking.lasted(1)
        #expect(ranking.order(now: Self.at(3)) == [1, 2, 0])
    }

    @Test func failuresAreForgotten() {
        var ranking = EndpointRanking(count: 2, memory: .seconds(60))
        ranking.failed(0, now: Self.at(0))
        ranking.failed(0, now: Self.at(1))
        #expect(ranking.order(now: Self.at(60)) == [1, 0])
        #expect(ranking.order(now: Self.at(61)) == [0, 1])
        // After that, the first failure is the first in a row.
        ranking.failed(0, now: Self.at(61))
        ranking.failed(1, now: Self.at(61))
        #expect(ranking.order(now: Self.at(61)) == [0, 1])
    }
}

@Suite(.inTurn(within: .seconds(60))) struct RankedConnectorTests {
    private struct Refused: ConnectError {
        var isRetryable = true
        var retryAfter: Duration?
    }

    /// An endpoint that can be switched off, and records the attempts.
    private final class Endpoint: MessageConnector {
        let peer = ScriptedPeer()
        let refusal = Mutex<Refused?>(nil)
        let attempts = Atomic(0)

        func connect(receiver: any MessageReceiver) async throws {
            attempts.add(1, ordering: .relaxed)
            if let refusal = refusal.withLock({ $0 }) { throw refusal }
            try await peer.connector.connect(receiver: receiver)
        }

        var attemptCount: Int { attempts.load(ordering: .relaxed) }
    }

    private let first = Endpoint()
    private let second = Endpoint()
    private let clock = ManualClock()

    private func client() -> JSONRPCClient {
        var reconnect = ReconnectPolicy.onLoss
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .zero, maximum: .zero)
        return JSONRPCClient(connector: RankedConnector([first, second], clock: clock), reconnect: reconnect)
    }

    private func isServed(_ client: JSONRPCClient, by endpoint: Endpoint) async throws {
        async let answer: Int = client.call("ping")
        try endpoint.peer.reply(to: try await endpoint.peer.expectRequest("ping"), result: 1)
        #expect(try await answer == 1)
    }

    @Test func theFirstEndpointThatConnectsIsUsed() async throws {
        first.refusal.withLock { $0 = Refused() }
        let client = client()
        try await client.connect()
        try await isServed(client, by: second)
        #expect(first.attemptCount == 1)
        await client.close()
    }

    @Test func aClientLeavesAnEndpointWhoseConnectionsDoNotLast() async throws {
        let client = client()
        try await client.connect()
        try await isServed(client, by: first)
        clock.advance(by: .seconds(9))
        first.peer.drop()
        try await second.peer.expectConnection()
        try await isServed(client, by: second)
        #expect(first.attemptCount == 1)
        await client.close()
    }

    @Test func aClientReturnsToAnEndpointWhoseConnectionLasted() async throws {
        let client = client()
        try await client.connect()
        clock.advance(by: .seconds(10))
        first.peer.drop()
        try await first.peer.expectConnection(2)
        try await isServed(client, by: first)
        #expect(second.attemptCount == 0)
        await client.close()
    }

    @Test func whenNoneCanBeReachedTheErrorNamesAll() async throws {
        first.refusal.withLock { $0 = Refused(isRetryable: false) }
        second.refusal.withLock { $0 = Refused(retryAfter: .seconds(7)) }
        let error = await #expect(throws: ClientError.self) { try await client().connect() }
        #expect(error?.isRetryable == true)
        let cause = try #require(error?.cause as? RankedConnector.EndpointsError)
        #expect(cause.failures.count == 2)
        #expect(cause.endpoints == ["endpoint 1", "endpoint 2"])
        #expect(cause.description.hasPrefix("No endpoint could be reached: endpoint 1: Refused("))
        #expect(cause.retryAfter == .seconds(7))
        second.refusal.withLock { $0 = Refused(isRetryable: false) }
        let final = await #expect(throws: ClientError.self) { try await client().connect() }
        #expect(final?.isRetryable == false)
    }

    @Test func withoutEndpointsNothingIsRetryable() async throws {
        let client = JSONRPCClient(connector: RankedConnector([]), reconnect: .always)
        let error = await #expect(throws: ClientError.self) { try await client.connect() }
        #expect(error?.isRetryable == false)
    }

    @Test func aCancelledAttemptIsNoFailure() async throws {
        let waiting = AsyncStream.makeStream(of: Void.self)
        struct Waiting: MessageConnector {
            let begun: AsyncStream<Void>.Continuation
            func connect(receiver: any MessageReceiver) async throws {
                begun.yield()
                try await ContinuousClock().sleep(for: .seconds(600))
            }
        }
        let connector = RankedConnector([Waiting(begun: waiting.continuation), second])
        let client = JSONRPCClient(connector: connector)
        let connecting = Task { try await client.connect() }
        for await _ in waiting.stream { break }
        connecting.cancel()
        _ = await #expect(throws: CancellationError.self) { try await connecting.value }
        #expect(second.attemptCount == 0)
    }
}
