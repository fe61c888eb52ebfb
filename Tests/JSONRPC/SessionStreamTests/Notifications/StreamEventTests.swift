// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import Logging
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

/// The events and the counts of streams whose consumers are too slow.
@Suite(.inTurn(within: .seconds(60))) struct StreamEventTests {
    private func send(_ count: Int, _ wire: Wire) throws {
        for number in 0..<count { try wire.peer.notify("tick", params: [.number(JSONNumber(Int64(number)))]) }
    }

    @Test(arguments: [NotificationOverflow.dropOldest(capacity: 4), .dropNewest(capacity: 4)])
    func aPeriodOfDropsIsReportedAtItsBeginningAndItsEnd(_ overflow: NotificationOverflow) async throws {
        let wire = await Wire()
        let events = wire.session.events
        let stream = wire.session.notifications("tick", as: [Int].self, overflow: overflow)
        try send(4, wire)
        try await wire.roundTrip()
        #expect(wire.session.gapCounts == NotificationGap.Counts())

        try send(1000, wire)
        try await wire.roundTrip()
        #expect(await events.nextOfStreams() == .dropping(method: "tick"))
        var counts = NotificationGap.Counts()
        counts.dropped = 1000
        counts.overflows = 1
        #expect(wire.session.gapCounts == counts)

        var iterator = stream.makeAsyncIterator()
        for _ in 0..<3 { _ = try await iterator.next() }
        #expect(await events.nextOfStreams() == .caughtUp(method: "tick", dropped: 1000))

        try send(4, wire)
        try await wire.roundTrip()
        #expect(await events.nextOfStreams() == .dropping(method: "tick"))
        #expect(wire.session.gapCounts.overflows == 2)
        await wire.session.close()
    }

    @Test func dropsAndGapsAddUp() async throws {
        let wire = await Wire()
        let stream = wire.session.notifications("tick", as: [Int].self, overflow: .dropOldest(capacity: 8))
        let consumer = Task {
            var (received, dropped) = (0, 0)
            for try await element in stream {
                switch element {
                case .value: received += 1
                case .gap(let gap): dropped += gap.count ?? 0
                }
                await Task.yield()
            }
            return (received, dropped)
        }
        try send(5000, wire)
        try await wire.roundTrip()
        await wire.session.close()
        let (received, dropped) = try await consumer.value
        #expect(received + dropped == 5000)
        #expect(wire.session.gapCounts.dropped == dropped)
    }

    @Test func undecodableNotificationsAreCounted() async throws {
        let wire = await Wire()
        let stream = wire.session.notifications("tick", as: [String].self, decoding: .report)
        try send(2, wire)
        try await wire.roundTrip()
        await wire.session.close()
        for try await element in stream { #expect(element.value == nil) }
        #expect(wire.session.gapCounts.undecodable == 2)
    }

    // MARK: Suspension

    private func suspending(_ clock: ManualClock) async -> Wire {
        await Wire(.with { $0.clock = clock })
    }

    @Test func aConsumerThatStopsTheReadingIsNamed() async throws {
        let clock = ManualClock()
        let wire = await suspending(clock)
        let events = wire.session.events
        let stream = wire.session.notifications(
            "tick", as: [Int].self, overflow: .suspend(capacity: 2, limit: .seconds(5)))
        try send(3, wire)
        #expect(await events.nextOfStreams() == .readingSuspended(method: "tick", limit: .seconds(5)))
        await clock.waitForSleeper(dueIn: .seconds(5))
        // When reading has stopped and the timer runs, the suspension is registered.
        clock.advance(by: .seconds(2))
        var iterator = stream.makeAsyncIterator()
        for _ in 0..<2 { _ = try await iterator.next() }
        guard case .readingResumed("tick", _) = await events.nextOfStreams() else { return #expect(Bool(false)) }
        try await wire.roundTrip()
        #expect(wire.session.gapCounts == NotificationGap.Counts())
        await wire.session.close()
    }

    @Test func theEndOfTheLimitIsReported() async throws {
        let clock = ManualClock()
        let wire = await suspending(clock)
        let events = wire.session.events
        let stream = wire.session.notifications(overflow: .suspend(capacity: 2, limit: .seconds(5)))
        try send(3, wire)
        #expect(await events.nextOfStreams() == .readingSuspended(method: nil, limit: .seconds(5)))
        await clock.waitForSleeper(dueIn: .seconds(5))
        clock.advance(by: .seconds(5))
        #expect(await events.nextOfStreams() == .suspensionExpired(method: nil, limit: .seconds(5)))
        #expect(await events.nextOfStreams() == .dropping(method: nil))
        try await wire.roundTrip()
        #expect(wire.session.gapCounts.dropped == 1)
        await wire.session.close()
        withExtendedLifetime(stream) {}
    }

    @Test func theEndOfASuspendedStreamIsReported() async throws {
        let clock = ManualClock()
        let wire = await suspending(clock)
        let events = wire.session.events
        var stream: NotificationStream<[Int]>? = wire.session.notifications(
            "tick", overflow: .suspend(capacity: 1, limit: .seconds(5)))
        try send(2, wire)
        #expect(await events.nextOfStreams() == .readingSuspended(method: "tick", limit: .seconds(5)))
        #expect(stream != nil)
        stream = nil
        guard case .readingResumed("tick", _) = await events.nextOfStreams() else { return #expect(Bool(false)) }
        try await wire.roundTrip()
        await wire.session.close()
    }

    @Test func eventsSayWhatToLookFor() {
        let event = SessionEvent.stream(.readingSuspended(method: "ti\u{7}ck", limit: .seconds(5)))
        #expect(
            event.description
                == #"The stream of "ti\u{07}ck" stops the reading of the connection for at most 5.0 seconds, because its "#
                + "consumer is too slow. Meanwhile calls get no responses.")
        #expect("\(SessionEvent.StreamEvent.dropping(method: nil))".hasPrefix("The stream of all notifications drops"))
    }
}

extension SessionEvent.Stream {
    /// The next event of streams.
    func nextOfStreams() async -> SessionEvent.StreamEvent? {
        for await case .stream(let event) in self { return event }
        return nil
    }
}
