// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits
import TestTurns
import Testing

@Suite(.inTurn, .timeLimit(.minutes(1)))
struct CancellableWaitTests {
    struct Failure: Error {}

    @Test func theFirstOutcomeCounts() async throws {
        let wait = CancellableWait<Int>()
        #expect(wait.resume(returning: 1))
        #expect(!wait.resume(returning: 2))
        #expect(!wait.resume(throwing: Failure()))
        #expect(try await wait.value() == 1)
    }

    @Test func anErrorIsThrown() async {
        let wait = CancellableWait<Int>()
        let task = Task { try await wait.value() }
        wait.resume(throwing: Failure())
        await #expect(throws: Failure.self) { try await task.value }
    }

    @Test func aCancelledTaskDoesNotWait() async {
        let wait = CancellableWait<Int>()
        let task = Task { try await wait.value() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!wait.resume(returning: 1))
    }

    @Test func anOutcomeBeforeTheCancellationIsKept() async throws {
        let wait = CancellableWait<Int>()
        wait.resume(returning: 1)
        let task = Task { try await wait.value() }
        task.cancel()
        #expect(try await task.value == 1)
    }

    /// Several threads set outcomes, and the task may be cancelled. The task gets exactly one of these.
    @Test func oneOfManyOutcomesAtOnceIsTheOneThatCounts() async {
        for round in 0..<500 {
            let wait = CancellableWait<Int>()
            let task = Task { try await wait.value() }
            let first = await withTaskGroup(of: Int?.self) { group in
                for number in 0..<4 { group.addTask { wait.resume(returning: number) ? number : nil } }
                if round.isMultiple(of: 2) {
                    group.addTask {
                        task.cancel()
                        return nil
                    }
                }
                return await group.reduce(into: [Int]()) { $0 += $1.map { [$0] } ?? [] }
            }
            let value = try? await task.value
            #expect(first == (value.map { [$0] } ?? []))
        }
    }

    @Test func waitsAreTakenInOrderWithoutThoseThatAreGone() {
        var waits = OrderedWaits<Int>()
        let all = (0..<40).map { _ in waits.append() }
        for wait in all.dropFirst().prefix(30) { waits.remove(wait) }
        #expect(waits.popFirst() === all[0])
        #expect(waits.popFirst() === all[31])
        let last = waits.append()
        #expect(waits.count == 9)
        #expect(waits.takeAll() == Array(all[32...]) + [last])
        #expect(waits.popFirst() == nil)
    }

    @Test func aSignalIsForAllWhoWaitAndEachCanLeave() async throws {
        let signal = OneTimeSignal()
        let (first, second) = (Task { try await signal.wait() }, Task { try await signal.wait() })
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        signal.fulfil()
        signal.fulfil(.failure(Failure()))
        try await first.value
        try await signal.wait()
    }

    @Test func cancellingAJoiningTaskCancelsTheJoinedTask() async {
        let ended = CancellableWait<Void>()
        let inner = Task { try await ended.value() }
        let outer = Task { await inner.joined }
        outer.cancel()
        let outcome = await outer.value
        #expect(throws: CancellationError.self) { try outcome.get() }
        #expect(inner.isCancelled)
    }
}
