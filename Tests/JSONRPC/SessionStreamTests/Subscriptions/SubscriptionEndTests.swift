// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

/// The ends of subscriptions, and subscriptions that never begin.
@Suite(.inTurn(within: .seconds(60))) struct SubscriptionEndTests {
    // MARK: By this side

    @Test func releasingTheSubscriptionUnsubscribesOnce() async throws {
        let wire = await Wire()
        var numbers: Subscription<Int>? = try await wire.numbers()
        var iterator = numbers?.makeAsyncIterator()
        numbers = nil
        try await wire.roundTrip()
        #expect(wire.session.subscriptionCounts.active == 1)
        try wire.peer.publish("0x1", 1)
        #expect(try await iterator?.next() == .value(1))
        iterator = nil
        try await wire.peer.confirmEnd("0x1")
        try await wire.untilInFlight(0)
        try await wire.roundTrip()
        try wire.peer.expectNothingMore()
        #expect(wire.session.subscriptionCounts == SubscriptionCounts())
    }

    @Test func cancellingTheConsumerUnsubscribes() async throws {
        let wire = await Wire()
        let numbers = try await wire.numbers()
        let taken = EventLog<Int>()
        let consumer = Task { [numbers = consume numbers] in
            for try await value in numbers.values { taken.record(value) }
        }
        try wire.peer.publish("0x1", 1)
        await taken.wait(count: 1)
        consumer.cancel()
        await #expect(throws: CancellationError.self) { try await consumer.value }
        try await wire.peer.confirmEnd("0x1")
    }

    @Test func unsubscribingTwiceSendsOneRequest() async throws {
        let wire = await Wire()
        let numbers = try await wire.numbers()
        async let first: Void = numbers.unsubscribe()
        async let second: Void = numbers.unsubscribe()
        try await wire.peer.confirmEnd("0x1")
        await first
        await second
        await numbers.unsubscribe()
        try await wire.roundTrip()
        try wire.peer.expectNothingMore()
    }

    @Test func unsubscribingDoesNotWaitInACancelledTask() async throws {
        let wire = await Wire()
        let numbers = try await wire.numbers()
        let ending = Task { await numbers.unsubscribe() }
        let request = try await wire.peer.expectRequest("eth_unsubscribe")
        ending.cancel()
        await ending.value
        try wire.peer.reply(to: request, result: true)
    }

    @Test func aFailureToUnsubscribeIsAnEvent() async throws {
        let wire = await Wire()
        let events = wire.session.events
        var numbers = try await wire.numbers(1)
        async let refused: Void = numbers.unsubscribe()
        let request = try await wire.peer.expectRequest("eth_unsubscribe")
        try wire.peer.reply(to: request, error: ErrorObject(code: -1, message: "no"))
        await refused
        guard case .unsubscribeFailed("eth_unsubscribe", let id, let error) = await events.nextOfSubscriptions()
        else { return #expect(Bool(false)) }
        #expect(id?.description == "1" && (error as? ErrorObject)?.message == "no")

        numbers = try await wire.numbers("x")
        async let unknown: Void = numbers.unsubscribe()
        try await wire.peer.confirmEnd("x", answer: false)
        await unknown
        #expect(
            await events.nextOfSubscriptions()?.description
                == #"Could not unsubscribe "x" by `eth_unsubscribe`: The peer answered `false`: it did not know the "#
                + "subscription.")
    }

    @Test func aProtocolMayHaveNoRequestThatUnsubscribes() async throws {
        let wire = await Wire()
        async let subscribing = wire.session.subscribe("headers.subscribe", unsubscribe: nil, as: Int.self)
        try await wire.peer.confirm("0x1", "headers.subscribe")
        let headers = try await subscribing
        await headers.unsubscribe()
        try await wire.roundTrip()
        try wire.peer.expectNothingMore()
        try wire.peer.publish("0x1", 1)
        try await wire.roundTrip()
        #expect(wire.session.subscriptionCounts.lateNotifications == 1)
    }

    @Test func unsubscribingIsLimitedInTimeWithoutACallTimeout() async throws {
        let clock = ManualClock()
        let wire = await Wire(
            .with {
                $0.clock = clock
                $0.calls.timeout = nil
            })
        let events = wire.session.events
        let numbers = try await wire.numbers()
        async let ended: Void = numbers.unsubscribe()
        try await wire.peer.expectRequest("eth_unsubscribe")
        await clock.waitForSleeper(dueIn: .seconds(30))
        clock.advance(by: .seconds(30))
        await ended
        guard case .unsubscribeFailed(_, _, let error) = await events.nextOfSubscriptions() else {
            return #expect(Bool(false))
        }
        #expect((error as? ClientError)?.code == .timedOut)
    }

    // MARK: By the connection

    @Test func theLossIsThrownAfterTheElements() async throws {
        let wire = await Wire()
        let numbers = try await wire.numbers()
        try wire.peer.publish("0x1", 1)
        try wire.peer.publish("0x1", 2)
        wire.peer.drop()
        await wire.session.closed()
        var iterator = numbers.makeAsyncIterator()
        #expect(try await iterator.next() == .value(1))
        #expect(try await iterator.next() == .value(2))
        let error = await #expect(throws: ClientError.self) { try await iterator.next() }
        #expect(error?.code == .connectionLost)
        await numbers.unsubscribe()
    }

    @Test func closingEndsTheStream() async throws {
        let wire = await Wire()
        let numbers = try await wire.numbers()
        try wire.peer.publish("0x1", 1)
        try await wire.roundTrip()
        await wire.session.close()
        #expect(try await numbers.take(9) == [.value(1)])
        let error = await outcome { try await wire.session.numbers() }.failure
        #expect((error as? ClientError)?.code == .closed)
    }

    // MARK: Bad answers

    @Test func anErrorIsThrown() async throws {
        let wire = await Wire()
        async let subscribing = outcome { try await wire.session.numbers() }
        let request = try await wire.peer.expectRequest("eth_subscribe")
        try wire.peer.reply(to: request, error: ErrorObject(code: -32_601, message: "Method not found"))
        #expect((await subscribing.failure as? ErrorObject)?.code == .methodNotFound)
        #expect(wire.session.subscriptionCounts == SubscriptionCounts())
    }

    @Test(arguments: ["null", "{}", "[1]", "true", "1.5", "1e3", #""\ud800""#])
    func aResultThatIsNoIDIsThrown(_ result: String) async throws {
        let wire = await Wire()
        async let subscribing = outcome { try await wire.session.numbers() }
        let request = try await wire.peer.expectRequest("eth_subscribe")
        let id = try #require(request.id)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#)
        let error = await subscribing.failure as? SubscriptionError
        #expect(error == .invalidID(method: "eth_subscribe", try RawJSON(validating: result)))
        #expect(wire.session.subscriptionCounts == SubscriptionCounts())
    }

    @Test func anIDThatIsTakenIsRefusedAndNotUnsubscribed() async throws {
        let wire = await Wire()
        let first = try await wire.numbers("0x1")
        async let subscribing = outcome { try await wire.session.numbers() }
        try await wire.peer.confirm("0x1")
        guard case .duplicateID("eth_subscribe", let id)? = await subscribing.failure as? SubscriptionError else {
            return #expect(Bool(false))
        }
        #expect(id.description == #""0x1""#)
        try wire.peer.publish("0x1", 1)
        #expect(try await first.take(1) == [.value(1)])
        try await wire.roundTrip()
        try wire.peer.expectNothingMore()
    }

    @Test func anIDCanBeUsedAgainAfterItsEnd() async throws {
        let wire = await Wire()
        for round in 1...3 {
            let numbers = try await wire.numbers("0x1")
            try wire.peer.publish("0x1", JSONValue(round))
            #expect(try await numbers.take(1) == [.value(round)])
            async let end: Void = numbers.unsubscribe()
            try await wire.peer.confirmEnd("0x1")
            await end
        }
    }

    // MARK: Late answers

    @Test func aLateAnswerIsUnsubscribedAfterATimeout() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        let events = wire.session.events
        async let subscribing = outcome { try await wire.session.numbers(timeout: .seconds(5)) }
        let request = try await wire.peer.expectRequest("eth_subscribe")
        await clock.waitForSleeper(dueIn: .seconds(5))
        clock.advance(by: .seconds(5))
        #expect((await subscribing.failure as? ClientError)?.code == .timedOut)
        #expect(wire.session.subscriptionCounts.pending == 1)
        try wire.peer.publish("0x1", 1)
        try wire.peer.reply(to: request, result: "0x1")
        try wire.peer.publish("0x1", 2)
        try await wire.peer.confirmEnd("0x1")
        // After that, the session has taken everything that arrived before.
        try await wire.roundTrip()
        #expect(wire.session.subscriptionCounts.pending == 0)
        #expect(wire.session.subscriptionCounts.lateNotifications == 2)
        await wire.session.close()
        for await event in events {
            switch event {
            case .subscription, .irregularMessage, .unhandledNotification: Issue.record("\(event)")
            default: continue
            }
        }
        #expect(wire.session.irregularityCounts == [.lateResponse: 1])
    }

    @Test func aLateAnswerIsUnsubscribedAfterACancellation() async throws {
        let wire = await Wire()
        let subscribing = Task { try await wire.session.numbers() }
        let request = try await wire.peer.expectRequest("eth_subscribe")
        subscribing.cancel()
        await #expect(throws: CancellationError.self) { try await subscribing.value }
        try wire.peer.reply(to: request, result: "0x1")
        try await wire.peer.confirmEnd("0x1")
        try await wire.untilInFlight(0)
        #expect(wire.session.subscriptionCounts == SubscriptionCounts())
    }

    @Test func aLateErrorLeavesNothingBehind() async throws {
        let wire = await Wire()
        let subscribing = Task { try await wire.session.numbers() }
        let request = try await wire.peer.expectRequest("eth_subscribe")
        subscribing.cancel()
        await #expect(throws: CancellationError.self) { try await subscribing.value }
        try wire.peer.reply(to: request, error: ErrorObject(code: -1, message: "no"))
        try await wire.roundTrip()
        try wire.peer.expectNothingMore()
        #expect(wire.session.subscriptionCounts == SubscriptionCounts())
    }

    @Test func aRequestThatWasNotSentIsWithdrawn() async throws {
        let wire = await Wire()
        wire.near.holdOutbox()
        let subscribing = Task { try await wire.session.numbers() }
        try await wire.untilInFlight(1)
        subscribing.cancel()
        await #expect(throws: CancellationError.self) { try await subscribing.value }
        try await wire.untilInFlight(0)
        wire.near.releaseOutbox()
        try await wire.roundTrip()
        try wire.peer.expectNothingMore()
        try await yieldUntil("nothing is pending") { wire.session.subscriptionCounts.pending == 0 }
    }

    @Test func anAnswerThatNeverComesLeavesNothingAfterTheSession() async throws {
        let wire = await Wire()
        let subscribing = Task { try await wire.session.numbers() }
        try await wire.peer.expectRequest("eth_subscribe")
        subscribing.cancel()
        _ = await subscribing.result
        await wire.session.close()
        #expect(wire.session.subscriptionCounts.pending == 0)
    }

    @Test func aLossBeforeTheAnswerIsThrown() async throws {
        let wire = await Wire()
        async let subscribing = outcome { try await wire.session.numbers() }
        try await wire.peer.expectRequest("eth_subscribe")
        wire.peer.drop()
        #expect((await subscribing.failure as? ClientError)?.code == .connectionLost)
        #expect(wire.session.subscriptionCounts == SubscriptionCounts())
    }
}
