// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// Lets tasks sleep, with one timer for all of them.
///
/// `Task.sleep` keeps the memory of a cancelled sleep until its time is over. A client that starts and cancels long
/// sleeps could exhaust the memory of a server.
final class Sleepers: Sendable {
    fileprivate typealias Waiter = CheckedContinuation<Bool, Never>

    fileprivate struct Sleep {
        var end: ContinuousClock.Instant
        var number: UInt64

        static func isBefore(_ left: Sleep, _ right: Sleep) -> Bool { left.end < right.end }
    }

    fileprivate struct State {
        /// A binary heap with the earliest end at its root. Cancelled sleeps stay in it until they are more than half
        /// of it.
        var sleeps: [Sleep] = []
        var waiters: [UInt64: Waiter] = [:]
        /// The sleeps that were cancelled before they were added.
        var cancelled: Set<UInt64> = []
        var lastNumber: UInt64 = 0
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
    var storedCount: Int { state.withLock { max($0.sleeps.count, $0.waiters.count) + $0.cancelled.count } }

    /// Returns after `duration`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(for duration: Duration) async throws {
        let end = ContinuousClock.now + duration
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { add(Sleep(end: end, number: number), $0) }
        } onCancel: {
            cancel(number)
        }
        // The task may have been cancelled after the sleep was over.
        state.withLock { _ = $0.cancelled.remove(number) }
        guard isOver else { throw CancellationError() }
    }

    private func add(_ sleep: Sleep, _ waiter: Waiter) {
        let (isCancelled, isFirst) = state.withLock { state in
            if state.cancelled.remove(sleep.number) != nil { return (true, false) }
            state.waiters[sleep.number] = waiter
            state.insert(sleep)
            return (false, state.sleeps[0].number == sleep.number)
        }
        if isCancelled { return waiter.resume(returning: false) }
        if isFirst { schedule() }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let waiter = state.waiters.removeValue(forKey: number) else {
                state.cancelled.insert(number)
                return nil
            }
            state.removeCancelled()
            return waiter
        }
        waiter?.resume(returning: false)
    }

    private func wake() {
        let waiters = state.withLock { state in
            let now = ContinuousClock.now
            var waiters: [Waiter] = []
            while let first = state.sleeps.first, first.end <= now {
                state.removeFirst()
                if let waiter = state.waiters.removeValue(forKey: first.number) { waiters.append(waiter) }
            }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: true) }
        schedule()
    }

    /// Sets the timer to the earliest end. The work runs on the serial queue, so the latest state wins.
    private func schedule() {
        queue.async { [weak self] in
            guard let self, let end = state.withLock({ $0.sleeps.first?.end }) else { return }
            let (seconds, attoseconds) = max(.zero, end - .now).components
            let nanoseconds = attoseconds / 1_000_000_000
            timer.withLock {
                $0.schedule(deadline: .now() + .seconds(Int(seconds)) + .nanoseconds(Int(nanoseconds) + 1))
            }
        }
    }
}

extension Sleepers.State {
    fileprivate mutating func insert(_ sleep: Sleepers.Sleep) {
        sleeps.append(sleep)
        var index = sleeps.count - 1
        while index > 0, Sleepers.Sleep.isBefore(sleeps[index], sleeps[(index - 1) / 2]) {
            sleeps.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    fileprivate mutating func removeFirst() {
        guard !sleeps.isEmpty else { return }
        sleeps.swapAt(0, sleeps.count - 1)
        sleeps.removeLast()
        sink(from: 0)
    }

    private mutating func sink(from start: Int) {
        var index = start
        while true {
            var first = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < sleeps.count && Sleepers.Sleep.isBefore(sleeps[child], sleeps[first]) {
                first = child
            }
            if first == index { return }
            sleeps.swapAt(index, first)
            index = first
        }
    }

    /// Removes cancelled sleeps once they are the majority, so that the cost of each cancellation stays small.
    fileprivate mutating func removeCancelled() {
        guard sleeps.count > 64, sleeps.count > 2 * waiters.count else { return }
        sleeps = sleeps.filter { waiters[$0.number] != nil }
        for index in stride(from: sleeps.count / 2 - 1, through: 0, by: -1) { sink(from: index) }
    }
}
