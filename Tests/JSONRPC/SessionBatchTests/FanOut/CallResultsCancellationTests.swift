// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestSupport
import TestTurns
import Testing
import WireJSON

/// After a cancellation of the task, no further requests of many calls are sent.
@Suite(.inTurn(within: .seconds(60)))
struct CallResultsCancellationTests {
    /// The task is cancelled while the loop takes requests. The loop sends 64 requests at a time.
    @Test(arguments: [(cancelledAt: 2, sent: 0), (cancelledAt: 70, sent: 64)])
    func requestsThatAreTakenWhenTheTaskIsCancelledAreNotSent(cancelledAt: Int, sent: Int) async throws {
        let wire = await Wire(matching: .anyOrder)
        let session = wire.session
        let taken = EventLog<Int>()
        let task = Task {
            let requests = (0...).lazy.map { number in
                taken.record(number)
                if number == cancelledAt { withUnsafeCurrentTask { $0?.cancel() } }
                return Numbered(number: number)
            }
            for try await _ in session.results(of: requests, inFlight: 200) {}
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(taken.elements == Array(0...cancelledAt))
        #expect(session.callCounts == (UInt64(sent), UInt64(sent)))
        await session.close()
    }

    /// Holds jobs as long as a test wants.
    private final class HeldExecutor: TaskExecutor {
        private struct State {
            var isHeld = false
            var running = 0
            var held: [UnownedJob] = []
        }

        private let state = Mutex(State())

        var isIdle: Bool { state.withLock { $0.running == 0 } }

        func hold() { state.withLock { $0.isHeld = true } }

        func release() {
            let jobs = state.withLock { state in
                state.isHeld = false
                defer { state.held = [] }
                return state.held
            }
            for job in jobs { run(job) }
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let isHeld = state.withLock { state in
                if state.isHeld { state.held.append(job) }
                return state.isHeld
            }
            if !isHeld { run(job) }
        }

        private func run(_ job: UnownedJob) {
            state.withLock { $0.running += 1 }
            Thread.detachNewThread {
                job.runSynchronously(on: self.asUnownedTaskExecutor())
                self.state.withLock { $0.running -= 1 }
            }
        }
    }

    /// An outcome wakes the consumer. The task is cancelled before the consumer continues.
    @Test func anOutcomeThatComesWithTheCancellationMakesNoRoom() async throws {
        let wire = await Wire()
        let session = wire.session
        let executor = HeldExecutor()
        let task = Task(executorPreference: executor) {
            for try await _ in session.results(of: Numbered.upTo(3), inFlight: 1) {}
        }
        let request = try await wire.peer.expectRequest("number", params: [0])
        try await yieldUntil("the executor is idle") { executor.isIdle }
        executor.hold()
        try wire.peer.reply(to: request, result: 0)
        try await wire.roundTrip()
        task.cancel()
        executor.release()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(session.callCounts == (1, 1))
        await session.close()
        try await wire.peer.expectClosure()
        try wire.peer.expectNothingMore()
    }

    /// The calls in flight end before the queued calls, which must not be sent in their place.
    @Test func cancelledCallsMakeNoRoomForEachOther() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 2 })
        let calls = ManyCalls(Numbered.upTo(300), over: wire.session, inFlight: 200)
        try await wire.untilIssued(200)
        for _ in 0..<2 { try await wire.peer.expectRequest("number") }
        calls.task.cancel()
        await #expect(throws: CancellationError.self) { try await calls.task.value }
        #expect(wire.session.callCounts == (200, 200))
        async let other: Int = wire.session.call("other")
        let request = try await wire.peer.expectRequest("other")
        // A request gets its id when it is put into the outbox.
        #expect(request.id == 3)
        try wire.peer.reply(to: request, result: 1)
        #expect(try await other == 1)
        await wire.session.close()
    }
}
