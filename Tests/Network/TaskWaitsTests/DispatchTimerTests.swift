// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TaskWaits
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60)))
struct DispatchTimerTests {
    private func timer(
        at time: ContinuousClock.Instant, _ passed: @escaping @Sendable () -> Void
    ) -> DispatchTimer {
        DispatchTimer(nanoseconds: Int64(ContinuousClock.now.duration(to: time) / .nanoseconds(1)), passed)
    }

    @Test func aDeadlinePasses() async {
        let time = ContinuousClock.now + .milliseconds(20)
        let (passed, calls) = AsyncStream<ContinuousClock.Instant>.makeStream()
        let deadline = timer(at: time) { calls.yield(.now) }
        var iterator = passed.makeAsyncIterator()
        let instant = await iterator.next()
        // A timer has whole nanoseconds.
        #expect(instant.map { $0 > time - .microseconds(1) } == true)
        deadline.cancel()
    }

    @Test func aDeadlineInThePastPassesAtOnce() async {
        let (passed, calls) = AsyncStream<Void>.makeStream()
        let deadline = timer(at: .now - .seconds(1)) { calls.finish() }
        for await _ in passed {}
        deadline.cancel()
    }

    @Test func aCancelledDeadlineDoesNotPass() async {
        // Deadlines pass in order: when the second has passed, so has the first.
        let hasPassed = Atomic<Bool>(false)
        let (passed, calls) = AsyncStream<Void>.makeStream()
        let first = timer(at: .now + .milliseconds(100)) { hasPassed.store(true, ordering: .relaxed) }
        let second = timer(at: .now + .milliseconds(150)) { calls.finish() }
        first.cancel()
        for await _ in passed {}
        let firstHasPassed = hasPassed.load(ordering: .relaxed)
        #expect(!firstHasPassed)
        second.cancel()
    }
}
