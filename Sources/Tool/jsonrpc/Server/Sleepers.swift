// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import HeapModule
import Synchronization
import TaskWaits

/// Lets tasks sleep, with one timer for all of them.
///
/// `Task.sleep` keeps the memory of a cancelled sleep until its time is over. A client that starts and cancels long
/// sleeps could exhaust the memory of a server.
final class Sleepers: Sendable {
    private struct Sleep: Comparable, Sendable {
        var end: ContinuousClock.Instant
        var wait = CancellableWait<Void>()

        static func < (left: Sleep, right: Sleep) -> Bool { left.end < right.end }
    }

    private struct State {
        /// Cancelled sleeps stay in it until they are more than half of it.
        var sleeps: Heap<Sleep> = []
        /// The waits of the sleeps that were not cancelled.
        var waits: Set<CancellableWait<Void>> = []

        mutating func cancel(_ sleep: Sleep) {
            waits.remove(sleep.wait)
            // Cancelled sleeps are removed once they are the majority, so that the cost of each cancellation stays small.
            guard sleeps.count > 64, sleeps.count > 2 * waits.count else { return }
            sleeps = Heap(sleeps.unordered.filter { waits.contains($0.wait) })
        }
    }

    static let shared = Sleepers()

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "jsonrpc.sleepers")
    private let timer: Mutex<any DispatchSourceTimer>

    init() {
        timer = Mutex(DispatchSource.makeTimerSource(queue: queue))
        timer.withLock {
            $0.setEventHandler { [weak self] in self?.wake() }
            $0.resume()
        }
    }

    deinit { timer.withLock { $0.cancel() } }

    /// The number of stored sleeps, including cancelled sleeps that were not removed yet.
    var storedCount: Int { state.withLock { $0.sleeps.count } }

    /// Returns after `duration`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(for duration: Duration) async throws {
        let sleep = Sleep(end: .now + duration)
        let isFirst = state.withLock { state in
            state.sleeps.insert(sleep)
            state.waits.insert(sleep.wait)
            return state.sleeps.min == sleep
        }
        if isFirst { schedule() }
        do {
            try await sleep.wait.value()
        } catch {
            state.withLock { $0.cancel(sleep) }
            throw error
        }
    }

    private func wake() {
        let waits = state.withLock { state in
            let now = ContinuousClock.now
            var waits: [CancellableWait<Void>] = []
            while let first = state.sleeps.min, first.end <= now {
                state.sleeps.removeMin()
                if let wait = state.waits.remove(first.wait) { waits.append(wait) }
            }
            return waits
        }
        for wait in waits { wait.resume() }
        schedule()
    }

    /// Sets the timer to the earliest end. The work runs on the serial queue, so the latest state wins.
    private func schedule() {
        queue.async { [weak self] in
            guard let self, let end = state.withLock({ $0.sleeps.min?.end }) else { return }
            let (seconds, attoseconds) = max(.zero, end - .now).components
            let nanoseconds = attoseconds / 1_000_000_000
            timer.withLock {
                $0.schedule(deadline: .now() + .seconds(Int(seconds)) + .nanoseconds(Int(nanoseconds) + 1))
            }
        }
    }
}
