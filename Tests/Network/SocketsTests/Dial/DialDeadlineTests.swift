// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TestSupport
import TestTurns
import Testing

@testable import Sockets

@Suite(.inTurn(within: .seconds(60)))
struct DialDeadlineTests {
    @Test func aDeadlinePasses() async {
        let time = ContinuousClock.now + .milliseconds(20)
        let (passed, calls) = AsyncStream<ContinuousClock.Instant>.makeStream()
        let deadline = DialDeadline(time) { calls.yield(.now) }
        var iterator = passed.makeAsyncIterator()
        let instant = await iterator.next()
        // A timer has whole nanoseconds.
        #expect(instant.map { $0 > time - .microseconds(1) } == true)
        deadline.cancel()
    }

    @Test func aDeadlineInThePastPassesAtOnce() async {
        let (passed, calls) = AsyncStream<Void>.makeStream()
        let deadline = DialDeadline(.now - .seconds(1)) { calls.finish() }
        for await _ in passed {}
        deadline.cancel()
    }

    @Test func aCancelledDeadlineDoesNotPass() async {
        // Deadlines pass in order: when the second has passed, so has the first.
        let hasPassed = Atomic<Bool>(false)
        let (passed, calls) = AsyncStream<Void>.makeStream()
        let first = DialDeadline(.now + .milliseconds(100)) { hasPassed.store(true, ordering: .relaxed) }
        let second = DialDeadline(.now + .milliseconds(150)) { calls.finish() }
        first.cancel()
        for await _ in passed {}
        let firstHasPassed = hasPassed.load(ordering: .relaxed)
        #expect(!firstHasPassed)
        second.cancel()
    }

    @Test(.startsProcess) func aDialThatIsDoneLeavesNothingOfItsDeadline() async {
        await #expect(processExitsWith: .success) {
            let inAnHour = ContinuousClock.now + .seconds(3600)
            func dial(_ times: Int) async throws {
                for number in 0..<times {
                    let result = try await DialWork.run(until: inAnHour) { _ in number }
                    #expect(result == number)
                }
            }
            // Dispatch caches up to 1024 small objects for each thread.
            try await dial(2000)
            // A task that sleeps would leave 700 bytes each time.
            let limit = 100 * 4000
            let growth = try await ProcessResources.heapGrowth(settlingTo: limit) { try await dial(4000) }
            #expect(growth <= limit)
        }
    }
}
