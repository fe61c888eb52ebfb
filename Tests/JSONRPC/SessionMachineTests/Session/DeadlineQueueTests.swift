// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn) struct DeadlineQueueTests {
    @Test func callsWithOneTimeoutExpireInOrder() {
        var queue = DeadlineQueue()
        for slot in 0..<5 as Range<Int32> {
            _ = queue.insert(slot: slot, deadline: .at(Int(slot) + 10), timeout: .nanoseconds(10))
        }
        #expect(queue.takeExpired(now: .at(12), limit: 10) == [0, 1, 2])
        #expect(queue.earliest == .at(13))
    }

    @Test func onlyAnEmptyLaneCanHoldTheEarliest() {
        var queue = DeadlineQueue()
        #expect(queue.insert(slot: 0, deadline: .at(10), timeout: .nanoseconds(10)) == true)
        #expect(queue.insert(slot: 1, deadline: .at(11), timeout: .nanoseconds(10)) == false)
        #expect(queue.insert(slot: 2, deadline: .at(5), timeout: .nanoseconds(4)) == true)
    }

    @Test func deadlineBeforeItsLanesLastOneIsTakenAsThatOne() {
        var queue = DeadlineQueue()
        _ = queue.insert(slot: 0, deadline: .at(10), timeout: .nanoseconds(10))
        _ = queue.insert(slot: 1, deadline: .at(9), timeout: .nanoseconds(10))
        queue.remove(slot: 0)
        #expect(queue.earliest == .at(10))
    }

    @Test func noMoreThanTheLimitIsTakenAtATime() {
        var queue = DeadlineQueue()
        for slot in 0..<5 as Range<Int32> { _ = queue.insert(slot: slot, deadline: .at(1), timeout: .zero) }
        #expect(queue.takeExpired(now: .at(1), limit: 2) == [0, 1])
        #expect(queue.takeExpired(now: .at(1), limit: 9) == [2, 3, 4])
    }

    /// A million calls through one lane, a hundred at a time. The memory is proportional to the hundred.
    @Test func answeredCallsLeaveNothingBehind() {
        var queue = DeadlineQueue()
        for call in 0..<1_000_000 {
            let slot = Int32(call % 100)
            queue.remove(slot: slot)
            _ = queue.insert(slot: slot, deadline: .at(call + 60), timeout: .nanoseconds(60))
        }
        #expect(queue.count == 100)
        #expect(queue.takeExpired(now: .at(2_000_000), limit: 1000).count == 100)
    }

    /// A thousand timeouts, each used once.
    @Test func lanesAreGivenBack() {
        var queue = DeadlineQueue()
        for timeout in 0..<10_000 {
            _ = queue.insert(slot: 0, deadline: .at(timeout), timeout: .nanoseconds(timeout))
            queue.remove(slot: 0)
        }
        #expect(queue.laneCount <= 32)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func agreesWithASortedList(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = DeadlineQueue()
        var model: [Int32: Int] = [:]
        for now in 0..<500 {
            let slot = Int32.random(in: 0..<40, using: &random)
            if model[slot] == nil {
                let timeout =
                    [3, 10, 10, 100, Int.random(in: 1...200, using: &random)].randomElement(using: &random) ?? 3
                _ = queue.insert(slot: slot, deadline: .at(now + timeout), timeout: .nanoseconds(timeout))
                model[slot] = now + timeout
            } else {
                queue.remove(slot: slot)
                model[slot] = nil
            }
            if random.oneIn(10) {
                let expired = Set(queue.takeExpired(now: .at(now), limit: .max))
                #expect(expired == Set(model.filter { $0.value <= now }.keys), "seed \(seed)")
                model = model.filter { $0.value > now }
            }
            #expect(queue.count == model.count, "seed \(seed)")
            #expect(queue.earliest == model.values.min().map { .at($0) }, "seed \(seed)")
        }
    }
}

@Suite(.inTurn) struct NumberTableTests {
    @Test(arguments: 0..<50 as Range<UInt64>)
    func agreesWithADictionary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = NumberTable()
        var model: [Int64: Int32] = [:]
        for step in 0..<3000 as Range<Int32> {
            // Few different numbers, so that runs of full entries wrap and overlap.
            let number = Int64.random(in: -60...60, using: &random) &* (random.oneIn(3) ? 1 << 40 : 1)
            if random.oneIn(2) {
                #expect(table.insert(number, slot: step) == (model[number] == nil), "seed \(seed)")
                if model[number] == nil { model[number] = step }
            } else {
                #expect(table.remove(number) == model.removeValue(forKey: number), "seed \(seed)")
            }
            #expect(table.count == model.count)
        }
        for (number, slot) in model { #expect(table[number] == slot, "seed \(seed)") }
    }

    @Test func extremesAreNumbersLikeOthers() {
        var table = NumberTable()
        for (slot, number) in [Int64.min, -1, 0, 1, .max].enumerated() {
            #expect(table.insert(number, slot: Int32(slot)) == true)
        }
        #expect(table[.min] == 0)
        #expect(table[.max] == 4)
        #expect(table.remove(0) == 2)
        #expect(table[0] == nil)
    }
}

@Suite(.inTurn) struct SessionTimeTests {
    @Test func sumsStopAtTheEndOfTheRange() {
        #expect(SessionTime.at(5).advanced(by: .seconds(Int64.max)) == SessionTime(nanoseconds: .max))
        #expect(SessionTime.at(5).advanced(by: .nanoseconds(-8)) == .at(-3))
        #expect(SessionTime.at(-5).advanced(by: .seconds(Int64.min)) == SessionTime(nanoseconds: .min))
        #expect(SessionTime.at(5).advanced(by: .nanoseconds(-3)) == .at(2))
    }
}
