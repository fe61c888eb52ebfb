// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import SessionTestSupport
import TaskWaits
import TestTurns
import Testing

@testable import JSONRPCSession

/// More notifications than the buffer of a stopped consumer holds, while calls on the same session continue.
@Suite(.inTurn(within: .seconds(180))) struct SubscriptionStormTests {
    private struct Tally: Sendable {
        var received = 0
        var dropped = 0
        var isInOrder = true
        var error: (any Error)?

        mutating func add(_ element: NotificationElement<Int>) {
            switch element {
            // Exactly the notifications before this one were received or dropped.
            case .value(let value):
                isInOrder = isInOrder && value == received + dropped
                received += 1
            case .gap(let gap): dropped += gap.count ?? .max / 2
            }
        }
    }

    private static let sent = 24_000
    private static let capacity = 500

    private let clock = ManualClock()
    private let server = SubscriptionServer()

    /// Stops a consumer of the policy during the storm. Returns its tally and the final length of its buffer.
    private func storm(_ overflow: NotificationOverflow) async throws -> (Tally, buffered: Int) {
        let session = DuplexSession(configuration: .with { $0.clock = clock })
        try await server.connector.connect(receiver: session.receiver)
        let numbers = try await session.stream("numbers", overflow: overflow)
        let (isHeld, gate) = (OneTimeSignal(), OneTimeSignal())
        let queue = numbers.membership.queue
        let consumer = Task { [numbers = consume numbers] in
            var tally = Tally()
            var iterator = numbers.makeAsyncIterator()
            do {
                if let first = try await iterator.next() { tally.add(first) }
                isHeld.fulfil(.success(()))
                try await gate.wait()
                while let element = try await iterator.next() { tally.add(element) }
            } catch {
                tally.error = error
            }
            return tally
        }
        try await server.publish(0)
        try await isHeld.wait()

        async let calls = echoes(session)
        for value in 1..<Self.sent { try await server.publish(value) }
        if case .suspend(_, let limit) = overflow {
            await clock.waitForSleeper(dueIn: limit)
            clock.advance(by: limit)
        }
        #expect(try await calls == 1000 * 999 / 2)
        // All notifications precede this result.
        let last: Int = try await session.call("echo", params: [1])
        #expect(last == 1)
        let buffered = queue.count
        gate.fulfil(.success(()))
        // The rest is delivered before the end.
        await session.close()
        return (await consumer.value, buffered)
    }

    private func echoes(_ session: DuplexSession) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for value in 0..<1000 {
                group.addTask { try await session.call("echo", params: [value]) }
            }
            return try await group.reduce(0, +)
        }
    }

    @Test(arguments: [
        NotificationOverflow.dropOldest(capacity: capacity), .dropNewest(capacity: capacity),
        .suspend(capacity: capacity, limit: .seconds(1)),
    ])
    func everyNotificationIsReceivedOrCounted(_ overflow: NotificationOverflow) async throws {
        let (tally, buffered) = try await storm(overflow)
        #expect(tally.received + tally.dropped == Self.sent)
        #expect(tally.received == Self.capacity + 1 && buffered == Self.capacity)
        #expect(tally.isInOrder && tally.error == nil)
    }

    @Test func aStreamThatFailsKeepsItsBeginning() async throws {
        let (tally, buffered) = try await storm(.fail(capacity: Self.capacity))
        #expect(tally.received == Self.capacity + 1 && tally.dropped == 0 && buffered == Self.capacity)
        #expect(tally.error as? NotificationError == .overflow(capacity: Self.capacity))
        #expect(tally.isInOrder)
    }

    @Test func aHeldConsumerDoesNotDelayOthers() async throws {
        let session = DuplexSession()
        try await server.connector.connect(receiver: session.receiver)
        let slow = try await session.stream("slow", overflow: .dropOldest(capacity: 10))
        let fast = try await session.stream("fast")
        for value in 0..<1000 {
            try await server.publish(value)
            #expect(try await fast.take(1) == [.value(value)])
        }
        #expect(try await slow.take(2) == [.dropped(990), .value(990)])
        await session.close()
    }
}
