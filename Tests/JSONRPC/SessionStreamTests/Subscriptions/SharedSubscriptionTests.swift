// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestTurns
import Testing

@testable import JSONRPCSession

/// One subscription of the server with several consumers.
@Suite(.inTurn(within: .seconds(60))) struct SharedSubscriptionTests {
    @Test func equalRequestsShareOneSubscription() async throws {
        let wire = await Wire()
        async let subscribing = wire.session.numbers(sharing: true)
        let request = try await wire.peer.expectRequest("eth_subscribe")
        // A second consumer joins while the request is in flight.
        async let joining = wire.session.numbers(overflow: .dropOldest(capacity: 1), sharing: true)
        try await yieldUntil("there are two consumers") { wire.session.consumerCount >= 2 }
        try wire.peer.publish("0x1", 1)
        try wire.peer.reply(to: request, result: "0x1")
        let (first, second) = try await (subscribing, joining)
        #expect(first.id == second.id && first.id != nil)
        let third = try await wire.session.numbers(sharing: true)
        try wire.peer.publish("0x1", 2)
        #expect(try await first.take(2) == [.value(1), .value(2)])
        #expect(try await second.take(2) == [.dropped(1), .value(2)])
        #expect(try await third.take(1) == [.value(2)])

        await first.unsubscribe()
        await third.unsubscribe()
        try wire.peer.publish("0x1", 3)
        #expect(try await first.take(1).isEmpty)
        #expect(try await second.take(1) == [.value(3)])
        try await wire.roundTrip()
        try wire.peer.expectNothingMore()
        async let end: Void = second.unsubscribe()
        try await wire.peer.confirmEnd("0x1")
        await end
        #expect(wire.session.subscriptionCounts == SubscriptionCounts())
        // The next consumer starts a new subscription.
        async let another = wire.session.numbers(sharing: true)
        try await wire.peer.confirm("0x2")
        #expect(try await another.id?.description == #""0x2""#)
    }

    @Test func otherRequestsAreNotShared() async throws {
        let wire = await Wire()
        var subscriptions: [Subscription<Int>] = []
        for (index, (name, isShared)) in [("a", true), ("b", true), ("a", false)].enumerated() {
            async let subscribing = wire.session.numbers(name, sharing: isShared)
            try await wire.peer.confirm(.init(index))
            subscriptions.append(try await subscribing)
        }
        #expect(wire.session.subscriptionCounts.active == 3)
    }

    @Test func aConsumerThatIsCancelledLeavesTheRequestToOthers() async throws {
        let wire = await Wire()
        let first = Task { try await wire.session.numbers(sharing: true) }
        let request = try await wire.peer.expectRequest("eth_subscribe")
        async let joining = wire.session.numbers(sharing: true)
        try await yieldUntil("there are two consumers") { wire.session.consumerCount >= 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        try wire.peer.reply(to: request, result: 1)
        let second = try await joining
        try wire.peer.publish(1, 5)
        #expect(try await second.take(1) == [.value(5)])
    }

    // MARK: Time limits

    @Test func eachConsumerHasItsOwnTimeLimit() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        async let first = outcome { try await wire.session.numbers(timeout: .seconds(2), sharing: true) }
        let request = try await wire.peer.expectRequest("eth_subscribe")
        async let second = outcome { try await wire.session.numbers(timeout: .seconds(1), sharing: true) }
        async let third = wire.session.numbers(timeout: .seconds(30), sharing: true)
        try await yieldUntil("there are three consumers") { wire.session.consumerCount >= 3 }
        await clock.waitForSleeper(dueIn: .seconds(1))
        clock.advance(by: .seconds(1))
        let early = try #require(await second.failure as? ClientError)
        #expect(early.code == .timedOut && early.method == "eth_subscribe" && early.delivery == .outcomeUnknown)
        #expect(wire.session.consumerCount == 2)
        // The request continues although the time limit of its first consumer has passed.
        await clock.waitForSleeper(dueIn: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect((await first.failure as? ClientError)?.code == .timedOut)
        try wire.peer.reply(to: request, result: 1)
        let subscription = try await third
        try wire.peer.publish(1, 5)
        #expect(try await subscription.take(1) == [.value(5)])
    }

    @Test func theRequestEndsWithItsLastConsumer() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        async let first = outcome { try await wire.session.numbers(timeout: .seconds(1), sharing: true) }
        let request = try await wire.peer.expectRequest("eth_subscribe")
        async let second = outcome { try await wire.session.numbers(timeout: .seconds(1), sharing: true) }
        try await yieldUntil("there are two consumers") { wire.session.consumerCount >= 2 }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        #expect((await first.failure as? ClientError)?.code == .timedOut)
        #expect((await second.failure as? ClientError)?.code == .timedOut)
        try await wire.untilInFlight(0)
        // If the response is late, its subscription is ended.
        try wire.peer.reply(to: request, result: "0x1")
        try await wire.peer.confirmEnd("0x1")
        try await wire.roundTrip()
        #expect(wire.session.subscriptionCounts == SubscriptionCounts())
    }

    @Test func aConsumerWhoseTimeIsOverLearnsWhyThereIsNoConnection() async throws {
        let server = ReconnectingPeer()
        let client = server.client()
        try await client.connect()
        server.dials.setDown(true)
        server.peer.drop()
        await server.letAttemptBegin(after: .seconds(2))
        await server.clock.waitForSleeper(dueIn: .seconds(4))
        async let waiting = outcome { try await client.numbers(timeout: .seconds(1), sharing: true) }
        await server.clock.waitForSleeper(dueIn: .seconds(1))
        server.clock.advance(by: .seconds(1))
        let error = try #require(await waiting.failure as? ClientError)
        #expect(error.code == .timedOut)
        #expect((error.cause as? ClientError)?.code == .connectFailed)
        await client.close()
    }

    /// A request that waits for another connection has no response, so its consumer's time is not extended.
    @Test func aRequestWhoseConnectionIsLostKeepsTheTimeLimit() async throws {
        let server = ReconnectingPeer()
        let client = server.client()
        try await client.connect()
        async let waiting = outcome {
            try await client.subscribe(
                "eth_subscribe", params: ["numbers"], unsubscribe: "eth_unsubscribe", timeout: .seconds(30),
                options: CallOptions(isIdempotent: true), sharing: true, as: Int.self)
        }
        try await server.peer.expectRequest("eth_subscribe")
        await server.clock.waitForSleeper(dueIn: .seconds(30))
        server.dials.setDown(true)
        server.peer.drop()
        await client.reaches(.reconnecting(attempt: 1))
        server.clock.advance(by: .seconds(30))
        #expect((await waiting.failure as? ClientError)?.code == .timedOut)
        await client.close()
    }

    @Test func anErrorReachesAllConsumers() async throws {
        let wire = await Wire()
        async let first = outcome { try await wire.session.numbers(sharing: true) }
        let request = try await wire.peer.expectRequest("eth_subscribe")
        async let second = outcome { try await wire.session.numbers(sharing: true) }
        try await yieldUntil("there are two consumers") { wire.session.consumerCount >= 2 }
        try wire.peer.reply(to: request, error: ErrorObject(code: -3, message: "no"))
        #expect((await first.failure as? ErrorObject)?.message == "no")
        #expect((await second.failure as? ErrorObject)?.message == "no")
        #expect(wire.session.subscriptionCounts == SubscriptionCounts())
    }

    @Test func aSharedSubscriptionIsRenewedOnce() async throws {
        let server = ReconnectingPeer()
        let client = server.client()
        try await client.connect()
        async let subscribing = client.numbers(sharing: true)
        try await server.peer.confirm(1)
        let first = try await subscribing
        let second = try await client.numbers(sharing: true)
        server.clock.advance(by: .seconds(10))
        server.peer.drop()
        try await server.letConnect(after: .seconds(1))
        try await server.peer.confirm(2)
        try server.peer.publish(2, 20)
        for subscription in [first, second] {
            #expect(try await subscription.take(2) == [.reconnected, .value(20)])
        }
        await client.close()
        #expect(server.peer.received.count { $0.json?["method"] == "eth_subscribe" } == 2)
    }
}

extension DuplexSession {
    /// The number of consumers of all subscriptions.
    fileprivate var consumerCount: Int {
        driver.endpoint.notifications.state.withLock {
            $0.table.subscriptions.entries.values.reduce(0) { $0 + $1.consumers.count }
        }
    }
}
