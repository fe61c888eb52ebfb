// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Calls closures at given times, with one sleeping task for all of them.
///
/// Most deadlines are removed before they are reached, and most new ones are later than those before. So a new deadline
/// wakes nobody, and the task looks at the deadlines in flight once in the time of the shortest limit.
final class DeadlineScheduler: Sendable {
    /// Names a deadline.
    struct Token: Sendable, Hashable {
        fileprivate var number: UInt64
    }

    private struct Entry {
        var deadline: ContinuousClock.Instant
        var action: @Sendable () -> Void
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var lastNumber: UInt64 = 0
        /// The time at which the task wakes; `nil` without a task.
        var wakeUp: ContinuousClock.Instant?
        var sleeper: Task<Void, Never>?
        /// Counts the tasks, so that one that was replaced has no effect.
        var generation: UInt64 = 0
    }

    private let clock: any HTTPClock
    private let state = Mutex(State())

    init(clock: any HTTPClock) { self.clock = clock }

    deinit { state.withLock { $0.sleeper }?.cancel() }

    /// Calls a closure at a time, on an arbitrary thread. The closure must return at once.
    func schedule(at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) -> Token {
        let (token, needsSleeper) = state.withLock { state in
            state.lastNumber += 1
            state.entries[state.lastNumber] = Entry(deadline: deadline, action: action)
            return (Token(number: state.lastNumber), state.wakeUp.map { deadline < $0 } ?? true)
        }
        if needsSleeper { startSleeping() }
        return token
    }

    /// Moves a deadline that was not reached.
    func move(_ token: Token, to deadline: ContinuousClock.Instant) {
        let needsSleeper = state.withLock { state in
            guard state.entries[token.number] != nil else { return false }
            state.entries[token.number]?.deadline = deadline
            return state.wakeUp.map { deadline < $0 } ?? true
        }
        if needsSleeper { startSleeping() }
    }

    /// Removes a deadline.
    func remove(_ token: Token) {
        // The closure is released after the lock.
        _ = state.withLock { $0.entries.removeValue(forKey: token.number) }
    }

    private func startSleeping() {
        let (replaced, plan) = state.withLock { state -> (Task<Void, Never>?, (ContinuousClock.Instant, UInt64)?) in
            let earliest = state.entries.values.lazy.map(\.deadline).min()
            guard let earliest, state.wakeUp.map({ earliest < $0 }) ?? true else { return (nil, nil) }
            state.wakeUp = earliest
            state.generation += 1
            return (state.sleeper.take(), (earliest, state.generation))
        }
        replaced?.cancel()
        guard let (wakeUp, generation) = plan else { return }
        let sleeper = Task { [clock, weak self] in
            guard (try? await clock.sleep(until: wakeUp)) != nil else { return }
            self?.wake(generation)
        }
        let isReplaced = state.withLock { state in
            guard state.generation == generation, state.wakeUp != nil else { return true }
            state.sleeper = sleeper
            return false
        }
        if isReplaced { sleeper.cancel() }
    }

    private func wake(_ generation: UInt64) {
        let now = clock.now
        let due = state.withLock { state -> [Entry] in
            guard state.generation == generation else { return [] }
            state.wakeUp = nil
            state.sleeper = nil
            let due = state.entries.filter { $0.value.deadline <= now }
            for number in due.keys { state.entries.removeValue(forKey: number) }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for entry in due { entry.action() }
        startSleeping()
    }
}
