// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits
import TestTurns
import Testing

@Suite(.inTurn, .timeLimit(.minutes(1)))
struct WatchedTests {
    struct Failure: Error {}

    @Test func aConditionThatHoldsIsNotWaitedFor() async throws {
        let number = Watched(1)
        #expect(try await number.wait(until: { $0 == 1 }, begun: { _ in Issue.record("The task waits.") }))
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await number.wait { $0 == 1 }
        }
        #expect(try await cancelled.value)
        #expect(number.addWait(until: { $0 == 1 }) == nil)
    }

    @Test func anUpdateResumesTheTasksWhoseConditionHolds() async throws {
        let number = Watched(0)
        let two = Task { try await number.wait { $0 >= 2 } }
        let three = Task { try await number.wait { $0 >= 3 } }
        let earlier = number.update { number -> Int in
            defer { number = 2 }
            return number
        }
        #expect(earlier == 0)
        #expect(try await two.value)
        number.update { $0 += 1 }
        #expect(try await three.value)
        #expect(number.value == 3)
    }

    @Test func aChangeUnderTheLockCountsFromTheNotificationOn() async throws {
        let number = Watched(0)
        let wait = try #require(number.addWait { $0 == 1 })
        number.withLock { $0 = 1 }
        #expect(!wait.isOver)
        number.notify()
        #expect(try await wait.value())
        #expect(throws: Failure.self) {
            try number.withLock { (_: inout Int) throws(Failure) -> Void in throw Failure() }
        }
    }

    @Test func aWaitCanBeEndedOtherwise() async throws {
        let number = Watched(0)
        #expect(try await !number.wait(until: { $0 > 0 }, begun: { $0.resume(returning: false) }))
        let task = Task { try await number.wait { $0 > 0 } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(number.waitingCount == 0)
        number.update { $0 = 1 }
    }

    /// The condition for later values may be cheaper than the one for the current value.
    @Test func theValueThatIsThereHasAConditionOfItsOwn() async throws {
        let numbers = Watched([1, 2])
        let needless = numbers.addWait(until: { $0.last == 1 }, unless: { $0.contains(1) })
        #expect(needless == nil)
        let added = numbers.addWait(until: { $0.last == 3 }, unless: { $0.contains(3) })
        let wait = try #require(added)
        numbers.update { $0.append(4) }
        #expect(!wait.isOver)
        numbers.update { $0.append(3) }
        #expect(try await wait.value())
    }

    @Test func noChangeIsMissed() async throws {
        let number = Watched(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for limit in 1...200 {
                group.addTask { _ = try await number.wait { $0 >= limit } }
                group.addTask { number.update { $0 += 1 } }
            }
            try await group.waitForAll()
        }
        #expect(number.value == 200)
    }
}
