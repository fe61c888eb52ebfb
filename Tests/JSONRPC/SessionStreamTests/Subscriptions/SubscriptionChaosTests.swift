// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

/// Subscriptions that begin, end and are cancelled while the server is restarted.
@Suite(.inTurn(within: .seconds(180))) struct SubscriptionChaosTests {
    /// Makes and ends subscriptions in one of many ways.
    private static func churn(_ client: JSONRPCClient, seed: UInt64, name: String) async throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<30 {
            let way = Int.random(in: 0..<4, using: &random)
            let turns = Int.random(in: 0..<40, using: &random)
            let isShared = Bool.random(using: &random)
            let topic = isShared ? "shared \(way % 2)" : "\(name) \(round)"
            let task = Task {
                let numbers = try await client.stream(topic, sharing: isShared)
                switch way {
                case 0: _ = try await numbers.take(1)
                case 1: await numbers.unsubscribe()
                default: break
                }
            }
            for _ in 0..<turns { await Task.yield() }
            if way != 1 { task.cancel() }
            do {
                try await task.value
            } catch is CancellationError {
            } catch let error as ClientError where error.code == .connectionLost {
                // It was lost more often than a request is repeated.
            }
        }
    }

    /// The seed is the argument of the test case.
    @Test(arguments: 1...10) func nothingIsLeftBehind(_ seed: UInt64) async throws {
        let server = SubscriptionServer()
        var policy = ReconnectPolicy.always
        policy.backoff = ReconnectPolicy.Backoff(initial: .zero, maximum: .zero)
        policy.stablePeriod = .zero
        let client = JSONRPCClient(connector: server.connector, reconnect: policy)
        try await client.connect()
        // It continues through all restarts.
        let lasting = try await client.stream("lasting")
        let churning = Task {
            try await withThrowingTaskGroup { group in
                for index in 0..<8 {
                    group.addTask {
                        try await Self.churn(client, seed: seed &* 100 &+ UInt64(index), name: "\(index)")
                    }
                }
                try await group.waitForAll()
            }
        }
        var random = SeededGenerator(seed: seed)
        var restarts = 0
        for _ in 0..<10 {
            for _ in 0..<Int.random(in: 0..<300, using: &random) { await Task.yield() }
            try? await server.publish(1)
            server.drop()
            restarts += 1
            // The subscription is renewed on the next connection.
            try await server.reaches(subscriptions: 1, connections: restarts + 1)
        }
        try await churning.value
        // Requests that end the last subscriptions may still be in flight.
        try await yieldUntil("only the lasting subscription is left") {
            client.subscriptionCounts.pending == 0 && client.subscriptionCounts.active <= 1
                && Array(server.table.values) == ["lasting"] && client.session?.callsInFlight == 0
        }
        #expect(server.refusals == 0)
        try await server.publish(7)
        for try await value in lasting.values where value == 7 { break }
        await client.close()
    }
}
