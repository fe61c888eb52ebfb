// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

/// A server that is restarted again and again.
@Suite(.inTurn(within: .seconds(180))) struct RenewalStormTests {
    private let server = SubscriptionServer()

    @Test func twentySubscriptionsSurviveAHundredRestarts() async throws {
        let (rounds, count) = (100, 20)
        var policy = ReconnectPolicy.always
        policy.backoff = ReconnectPolicy.Backoff(initial: .zero, maximum: .zero)
        policy.stablePeriod = .zero
        let client = JSONRPCClient(connector: server.connector, reconnect: policy)
        try await client.connect()
        let received = EventLog<Int>()
        var consumers: [Task<[NotificationElement<Int>], any Error>] = []
        for index in 0..<count {
            let numbers = try await client.stream("\(index)")
            consumers.append(
                Task {
                    var elements: [NotificationElement<Int>] = []
                    for try await element in numbers {
                        elements.append(element)
                        if let value = element.value { received.record(value) }
                    }
                    return elements
                })
        }
        for round in 0...rounds {
            try await server.reaches(subscriptions: count, connections: round + 1)
            // Each upstream subscription exists once.
            #expect(Set(server.table.values).count == count && server.table.count == count)
            try await server.publish(round)
            await received.wait(count: (round + 1) * count)
            if round < rounds { server.drop() }
        }
        #expect(client.subscriptionCounts == SubscriptionCounts(active: count, renewals: rounds * count))
        #expect(client.gapCounts.reconnected == rounds * count)
        await client.close()
        let expected: [NotificationElement<Int>] =
            [.value(0)] + (1...rounds).flatMap { round -> [NotificationElement<Int>] in [.reconnected, .value(round)] }
        for consumer in consumers { #expect(try await consumer.value == expected) }
        #expect(server.refusals == 0 && server.connectionCount == rounds + 1)
        #expect(client.subscriptionCounts == SubscriptionCounts(renewals: rounds * count))
    }
}
