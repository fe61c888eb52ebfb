// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

/// Notifications that arrive before the response to their subscribe request.
@Suite(.inTurn(within: .seconds(60))) struct EarlyNotificationTests {
    @Test func notificationsBeforeTheResponseComeFirst() async throws {
        let wire = await Wire()
        async let subscribing = wire.session.numbers()
        let request = try await wire.peer.expectRequest("eth_subscribe")
        for value in 1...3 { try wire.peer.publish("0x1", JSONValue(value)) }
        try wire.peer.reply(to: request, result: "0x1")
        for value in 4...6 { try wire.peer.publish("0x1", JSONValue(value)) }
        let numbers = try await subscribing
        #expect(try await numbers.take(6).map(\.value) == [1, 2, 3, 4, 5, 6])
        #expect(wire.session.subscriptionCounts.unknownNotifications == 0)
    }

    @Test func allRequestsForAMethodGetItsEarlyNotifications() async throws {
        let wire = await Wire(matching: .anyOrder)
        async let first = wire.session.numbers("a", style: .methodName("tick"))
        async let second = wire.session.numbers("b", style: .methodName("tick"))
        let requests = (
            try await wire.peer.expectRequest("eth_subscribe"), try await wire.peer.expectRequest("eth_subscribe")
        )
        try wire.peer.send(#"{"jsonrpc":"2.0","method":"tick"}"#)
        try wire.peer.reply(to: requests.0, result: .null)
        try wire.peer.reply(to: requests.1, result: .null)
        let counts = try await [first, second].map(\.membership.queue.count)
        #expect(counts == [1, 1])
    }

    @Test func earlyNotificationsBeyondTheLimitLeaveAGap() async throws {
        // A slow machine under the thread sanitizer takes longer than early notifications are kept.
        let wire = await Wire(.with { $0.clock = ManualClock() })
        async let subscribing = wire.session.numbers(overflow: .dropNewest(capacity: 10_000))
        let request = try await wire.peer.expectRequest("eth_subscribe")
        for value in 1...5000 { try wire.peer.publish("0x1", JSONValue(value)) }
        try await wire.roundTrip()
        try wire.peer.reply(to: request, result: "0x1")
        let numbers = try await subscribing
        try wire.peer.publish("0x1", 9999)
        let elements = try await numbers.take(4098)
        #expect(elements.prefix(4096).map(\.value) == (1...4096).map { $0 })
        #expect(elements.suffix(2) == [.dropped(5000 - 4096), .value(9999)])
    }

    @Test func oldEarlyNotificationsLeaveAGap() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        let events = wire.session.events
        async let subscribing = wire.session.numbers()
        let request = try await wire.peer.expectRequest("eth_subscribe")
        try wire.peer.publish("0x1", 1)
        try wire.peer.publish("0x1", 2)
        try await wire.roundTrip()
        clock.advance(by: .seconds(10))
        try wire.peer.publish("0x1", 3)
        try wire.peer.reply(to: request, result: "0x1")
        #expect(try await subscribing.take(2) == [.dropped(2), .value(3)])
        // They were reported when they expired.
        guard case .unknownID("eth_subscription", let id) = await events.nextOfSubscriptions() else {
            return #expect(Bool(false))
        }
        #expect(id.json.text == #""0x1""#)
    }
}
