// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60)))
struct ContinuousClockAlarmTests {
    private let hourAway = ContinuousClock.now + .seconds(3600)

    @Test func waitingEndsWhenTheTimeHasCome() async {
        let deadline = ContinuousClock.now + .milliseconds(20)
        #expect(await ContinuousClock.isReached(deadline))
        #expect(ContinuousClock.now >= deadline)
    }

    @Test func aPastTimeIsReached() async {
        #expect(await ContinuousClock.isReached(.now - .seconds(1)))
    }

    @Test func aTaskThatWaitsIsCancelled() async {
        let (waiting, reached) = AsyncStream<Void>.makeStream()
        let task = Task {
            reached.finish()
            return await ContinuousClock.isReached(hourAway)
        }
        for await _ in waiting {}
        // It ends, whether it already waits or begins to wait later.
        task.cancel()
        #expect(await task.value == false)
    }

    @Test func aCancelledTaskDoesNotWait() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await ContinuousClock.isReached(hourAway)
        }
        #expect(await task.value == false)
    }

    @Test(.startsProcess) func aSessionsClockLeavesNothingOfCancelledWaits() async {
        await #expect(processExitsWith: .success) {
            let clock = anchored(ContinuousClock())
            let hourAway = SessionTime(nanoseconds: 3_600_000_000_000)
            func waitAndCancel(_ times: Int) async {
                for _ in 0..<times {
                    let task = Task { await clock.isReached(hourAway) }
                    await Task.yield()
                    task.cancel()
                    _ = await task.value
                }
            }
            // Dispatch caches up to 1024 small objects for each thread.
            await waitAndCancel(2000)
            // The runtime's own sleep would leave 700 bytes each time.
            let limit = 100 * 4000
            let growth = await ProcessResources.heapGrowth(settlingTo: limit) { await waitAndCancel(4000) }
            #expect(growth <= limit)
        }
    }
}
