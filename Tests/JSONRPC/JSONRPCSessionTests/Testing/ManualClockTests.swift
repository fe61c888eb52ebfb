// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60))) struct ManualClockTests {
    private let clock = ManualClock()

    @Test func timeStandsStillUntilMoved() {
        #expect(clock.now.offset == .zero)
        clock.advance(by: .seconds(3))
        clock.advance(by: .milliseconds(1))
        #expect(clock.now.offset == .milliseconds(3001))
    }

    @Test func sleepersWakeInTheOrderOfTheirDeadlines() async throws {
        let log = EventLog<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    log.record(seconds)
                }
                await clock.waitForSleepers([3: 1, 1: 2, 2: 3][seconds] ?? 0)
            }
            #expect(clock.timeToNextWaking == .seconds(1))
            clock.advance(by: .seconds(1))
            await log.wait(count: 1)
            #expect(clock.sleeperCount == 2)
            #expect(clock.timeToNextWaking == .seconds(1))
            clock.advance(by: .seconds(1))
            await log.wait(count: 2)
            clock.advance(by: .seconds(100))
            await log.wait(count: 3)
            try await group.waitForAll()
        }
        #expect(log.elements == [1, 2, 3])
        #expect(clock.timeToNextWaking == nil)
    }

    @Test func deadlineInThePastDoesNotSleep() async throws {
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(5)), tolerance: nil)
        try await clock.sleep(for: .seconds(-1))
        #expect(clock.sleeperCount == 0)
    }

    /// Of several sleepers, the test waits for the one it means.
    @Test func aSleeperIsKnownByWhenItIsDue() async throws {
        clock.advance(by: .seconds(7))
        let found = EventLog<Int>()
        let waiting = Task {
            await clock.waitForSleeper(dueIn: .seconds(5))
            found.record(1)
        }
        let other = Task { try await clock.sleep(for: .seconds(60)) }
        await clock.waitForSleepers(1)
        #expect(found.elements.isEmpty)
        let meant = Task { try await clock.sleep(for: .seconds(5)) }
        await waiting.value
        await clock.waitForSleeper(dueIn: .seconds(5))
        clock.advance(by: .seconds(5))
        try await meant.value
        await clock.waitForSleeper(dueIn: .seconds(55))
        other.cancel()
    }

    @Test func waitingForSleepersEndsWithItsTask() async {
        for isCancelledBefore in [false, true] {
            let waiting = Task {
                if isCancelledBefore { withUnsafeCurrentTask { $0?.cancel() } }
                await clock.waitForSleepers(1)
                await clock.waitForSleeper(dueIn: .seconds(1))
            }
            waiting.cancel()
            await waiting.value
        }
    }

    @Test func sleepIsCancelled() async {
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func cancelledTaskDoesNotSleep() async {
        let sleeper = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func clockServesWhoeverTakesAClock() async throws {
        let anyClock: any Clock<Duration> = clock
        let sleeper = Task { try await anyClock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await sleeper.value
    }
}
