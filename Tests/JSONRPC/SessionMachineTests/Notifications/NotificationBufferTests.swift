// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

@Suite(.inTurn) struct NotificationBufferTests {
    @Test func aBufferIsFullOfLargeNotificationsToo() {
        var buffer = NotificationBuffer(overflow: .dropOldest(capacity: 1000))
        let params = RawJSON(
            unchecked: [UInt8](repeating: UInt8(ascii: "1"), count: NotificationBuffer.maximumBytes / 2))
        for number in 0..<4 {
            #expect(buffer.arrived(InboundNotification(method: "\(number)", params: params)) == .doNothing)
        }
        #expect(buffer.count == 2)
        #expect(buffer.taken().entry == .gap(NotificationGap(reason: .overflow, count: 2)))
        #expect(buffer.taken().entry == .notification(InboundNotification(method: "2", params: params)))
    }

    @Test func longMethodNamesFillABufferToo() {
        var buffer = NotificationBuffer(overflow: .dropOldest(capacity: 1000))
        let name = String(repeating: "m", count: NotificationBuffer.maximumBytes / 2)
        for _ in 0..<4 { _ = buffer.arrived(InboundNotification(method: name, params: nil)) }
        #expect(buffer.count == 2)
    }

    /// Numbers its notifications, and describes the results in words.
    private struct Harness {
        var buffer: NotificationBuffer
        private var number = 0
        /// The last suspension that began.
        private(set) var suspension = NotificationBuffer.Suspension(number: 0, limit: .zero)

        init(_ overflow: NotificationOverflow) { buffer = NotificationBuffer(overflow: overflow) }

        mutating func arrive(_ count: Int = 1) -> [NotificationBuffer.ArrivalAction] {
            (0..<count).map { _ in
                number += 1
                let action = buffer.arrived(InboundNotification(method: "\(number)", params: nil))
                if case .suspend(let begun) = action { suspension = begun }
                return action
            }
        }

        mutating func take() -> String {
            switch buffer.taken().entry {
            case .notification(let notification)?: notification.method
            case .gap(let gap)?: "\(gap.reason) \(gap.count.map(String.init) ?? "?")"
            case nil: "-"
            }
        }

        mutating func end() -> Bool { buffer.ended() }

        mutating func expire() -> Bool { buffer.expired(suspension) }

        mutating func takeAll() -> [String] {
            var all: [String] = []
            while !buffer.isEmpty { all.append(take()) }
            return all
        }
    }

    @Test func notificationsAreTakenInOrder() {
        var harness = Harness(.dropOldest(capacity: 3))
        #expect(harness.arrive(3) == [.doNothing, .doNothing, .doNothing])
        #expect(harness.takeAll() == ["1", "2", "3"])
        #expect(harness.take() == "-")
    }

    @Test func dropOldestKeepsTheNewestBehindOneGap() {
        var harness = Harness(.dropOldest(capacity: 3))
        _ = harness.arrive(10)
        #expect(harness.takeAll() == ["overflow 7", "8", "9", "10"])
        _ = harness.arrive(4)
        #expect(harness.takeAll() == ["overflow 1", "12", "13", "14"])
    }

    @Test func dropNewestKeepsTheOldestBeforeOneGap() {
        var harness = Harness(.dropNewest(capacity: 3))
        _ = harness.arrive(10)
        #expect(harness.take() == "1")
        _ = harness.arrive(3)
        #expect(harness.takeAll() == ["2", "3", "overflow 7", "11", "overflow 2"])
    }

    @Test func failGivesWhatWasKept() {
        var harness = Harness(.fail(capacity: 2))
        #expect(harness.arrive(4) == [.doNothing, .doNothing, .fail, .doNothing])
        #expect(harness.buffer.phase == .ended)
        #expect(harness.takeAll() == ["1", "2"])
    }

    @Test(arguments: [
        NotificationOverflow.dropOldest(capacity: 0), .dropNewest(capacity: -5), .fail(capacity: 0),
        .suspend(capacity: 0, limit: .seconds(1)),
    ])
    func capacityIsAtLeastOne(overflow: NotificationOverflow) {
        var harness = Harness(overflow)
        _ = harness.arrive()
        #expect(harness.take() == "1")
    }

    // MARK: Reconnecting

    @Test func reconnectionsWithNothingBetweenAreOneGap() {
        var harness = Harness(.dropOldest(capacity: 3))
        _ = harness.arrive()
        harness.buffer.reconnected()
        harness.buffer.reconnected()
        _ = harness.arrive()
        #expect(harness.takeAll() == ["1", "reconnected ?", "2"])
    }

    @Test func gapsOfBothKindsThatMeetAreOneReconnection() {
        var harness = Harness(.dropOldest(capacity: 2))
        _ = harness.arrive(2)
        harness.buffer.reconnected()
        _ = harness.arrive(3)
        #expect(harness.takeAll() == ["reconnected ?", "4", "5"])
    }

    @Test func endedBufferTakesNothingIn() {
        var harness = Harness(.dropOldest(capacity: 2))
        _ = harness.arrive()
        #expect(harness.end() == false)
        harness.buffer.reconnected()
        #expect(harness.arrive() == [.doNothing])
        #expect(harness.takeAll() == ["1"])
    }

    // MARK: Suspension

    private let suspend = NotificationOverflow.suspend(capacity: 4, limit: .seconds(7))

    @Test func fullBufferSuspendsAndHalfEmptyResumes() {
        var harness = Harness(suspend)
        #expect(harness.arrive(4).allSatisfy { $0 == .doNothing })
        #expect(harness.arrive() == [.suspend(.init(number: 1, limit: .seconds(7)))])
        #expect(harness.arrive() == [.doNothing])
        #expect(harness.buffer.phase == .suspended)
        for number in 1...3 {
            let action = harness.buffer.taken()
            #expect(action.entry == .notification(InboundNotification(method: "\(number)", params: nil)))
            #expect(!action.resumes)
        }
        #expect(harness.buffer.taken().resumes)
        #expect(harness.buffer.phase == .flowing)
        #expect(harness.takeAll() == ["5", "6"])
    }

    @Test func suspendedBufferHoldsItsSlackAndNoMore() {
        var harness = Harness(suspend)
        let held = 4 + NotificationBuffer.suspensionSlack
        _ = harness.arrive(held)
        #expect(harness.buffer.count == held)
        _ = harness.arrive(12)
        #expect(harness.buffer.count == held)
        #expect(harness.takeAll() == ["overflow 12"] + (13...(held + 12)).map(String.init))
    }

    @Test func anUnlimitedBufferSuspendsAtItsBytes() {
        var harness = Harness(.suspend(capacity: .max, limit: .seconds(7)))
        let large = InboundNotification(
            method: "m",
            params: RawJSON(unchecked: [UInt8](repeating: UInt8(ascii: "1"), count: NotificationBuffer.maximumBytes)))
        #expect(harness.buffer.arrived(large) == .doNothing)
        #expect(harness.arrive() == [.suspend(.init(number: 1, limit: .seconds(7)))])
    }

    @Test func expiredSuspensionDropsTheOldestUntilTheConsumerHasCaughtUp() {
        var harness = Harness(suspend)
        _ = harness.arrive(6)
        #expect(harness.expire() == true)
        #expect(harness.buffer.phase == .dropping)
        #expect(harness.arrive() == [.doNothing])
        #expect(harness.expire() == false)
        #expect(harness.take() == "overflow 3")
        #expect((4...5).map(String.init) == [harness.take(), harness.take()])
        #expect(harness.buffer.phase == .flowing)
        _ = harness.arrive(2)
        #expect(harness.arrive() == [.suspend(.init(number: 2, limit: .seconds(7)))])
    }

    @Test func expiryWithoutSuspensionDoesNothing() {
        var harness = Harness(suspend)
        _ = harness.arrive(4)
        #expect(harness.expire() == false)
        #expect(harness.buffer.phase == .flowing)
    }

    /// A timer fires just when its suspension ends, and its event arrives during the next one.
    @Test func expiryOfASuspensionLeavesTheNextAlone() {
        var harness = Harness(suspend)
        _ = harness.arrive(5)
        let first = harness.suspension
        _ = harness.takeAll()
        #expect(harness.buffer.expired(first) == false)
        #expect(harness.arrive(5).last == .suspend(.init(number: 2, limit: .seconds(7))))
        #expect(harness.buffer.expired(first) == false)
        #expect(harness.buffer.phase == .suspended)
        #expect(harness.expire() == true)
    }

    @Test func endOfASuspendedBufferResumes() {
        var harness = Harness(suspend)
        _ = harness.arrive(5)
        #expect(harness.end() == true)
        #expect(harness.takeAll().count == 5)
    }

    // MARK: Properties

    /// For any sequence of events: each loss is counted by a gap, order is kept, no two gaps are adjacent, and the
    /// buffer stays within its bound.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func everyNotificationIsTakenOrCounted(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 1...5, using: &random)
        let overflow: NotificationOverflow =
            [
                .dropOldest(capacity: capacity), .dropNewest(capacity: capacity),
                .suspend(capacity: capacity, limit: .zero),
            ]
            .randomElement(using: &random) ?? .standard
        var buffer = NotificationBuffer(overflow: overflow)
        var arrived = 0
        var accounted = 0
        var last = 0
        var lastWasGap = false
        var isSuspended = false
        var suspension = NotificationBuffer.Suspension(number: 0, limit: .zero)

        func take() {
            let action = buffer.taken()
            if action.resumes { isSuspended = false }
            switch action.entry {
            case .notification(let notification)?:
                let number = Int(notification.method) ?? -1
                #expect(number > last)
                last = number
                accounted += 1
                lastWasGap = false
            case .gap(let gap)?:
                #expect(gap.reason == .overflow)
                accounted += gap.count ?? 0
                lastWasGap = true
            case nil: #expect(buffer.count == 0)
            }
        }

        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                arrived += 1
                switch buffer.arrived(InboundNotification(method: "\(arrived)", params: nil)) {
                case .suspend(let begun):
                    #expect(!isSuspended)
                    isSuspended = true
                    suspension = begun
                case .doNothing: break
                case .fail: Issue.record("no such policy")
                }
            case 6..<9: take()
            default: if buffer.expired(suspension) { isSuspended = false }
            }
            #expect(buffer.count <= (buffer.phase == .suspended ? arrived : capacity))
            #expect((buffer.phase == .suspended) == isSuspended)
        }
        lastWasGap = false
        while !buffer.isEmpty {
            let wasGap = lastWasGap
            take()
            #expect(!(wasGap && lastWasGap))
        }
        #expect(accounted == arrived)
    }
}

extension NotificationBuffer {
    fileprivate mutating func reconnected() { missed(NotificationGap(reason: .reconnected, count: nil)) }
}
