// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

/// The values that a subscription missed while there was no connection.
@Suite(.inTurn(within: .seconds(60))) struct MissedValueTests {
    private let server = ReconnectingPeer()
    private var peer: ScriptedPeer { server.peer }

    private func numbers(
        _ client: JSONRPCClient, resume: @escaping @Sendable (Int?) async throws -> [Int]
    ) async throws -> Subscription<Int> {
        async let subscribing = client.numbers(resume: resume)
        try await peer.confirm(1)
        return try await subscribing
    }

    /// Ends a stable connection, and waits for the next.
    private func reconnect(_ client: JSONRPCClient, number: Int = 2) async throws {
        await client.reaches(.connected)
        server.clock.advance(by: .seconds(10))
        peer.drop()
        try await server.letConnect(number, after: .seconds(1))
    }

    @Test func missedValuesFollowTheGap() async throws {
        let client = server.client()
        try await client.connect()
        let asked = EventLog<Int?>()
        let numbers = try await numbers(client) { last in
            asked.record(last)
            return [11, 12]
        }
        try peer.publish(1, 10)
        try await reconnect(client)
        let request = try await peer.expectRequest("eth_subscribe")
        try peer.reply(to: request, result: 2)
        try peer.publish(2, 13)
        #expect(try await numbers.take(3) == [.value(10), .reconnected, .value(11)])
        // Another iterator continues where the first one stopped.
        #expect(try await numbers.take(2) == [.value(12), .value(13)])
        #expect(asked.elements == [10])

        try await reconnect(client, number: 3)
        try await peer.confirm(3)
        try peer.publish(3, 14)
        #expect(try await numbers.values.prefix(3).reduce(into: []) { $0.append($1) } == [11, 12, 14])
        #expect(asked.elements == [10, 13])
        await client.close()
    }

    @Test func aFailureToFetchMissedValuesIsThrown() async throws {
        struct Failed: Error {}
        let client = server.client()
        try await client.connect()
        let numbers = try await numbers(client) { last in
            #expect(last == nil)
            throw Failed()
        }
        try await reconnect(client)
        try await peer.confirm(2)
        try peer.publish(2, 20)
        var iterator = numbers.makeAsyncIterator()
        #expect(try await iterator.next() == .reconnected)
        await #expect(throws: Failed.self) { try await iterator.next() }
        #expect(try await iterator.next() == .value(20))
        await client.close()
    }
}
