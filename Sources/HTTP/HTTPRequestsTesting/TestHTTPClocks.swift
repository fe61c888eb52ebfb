// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
import Synchronization
import TaskWaits

/// A clock whose time passes only when a test says so.
///
/// ```swift
/// let clock = ManualHTTPClock()
/// var configuration = HTTPSessionConfiguration()
/// configuration.clock = clock
/// …                                                    // a request with a limit of 60 seconds is sent
/// try await clock.waitForSleeper(dueIn: .seconds(60))  // the limit counts
/// clock.advance(by: .seconds(60))                      // the limit is exceeded
/// ```
public final class ManualHTTPClock: HTTPClock {
    private struct State {
        var now: ContinuousClock.Instant
        /// The tasks that sleep, and their deadlines.
        var sleepers: [CancellableWait<Void>: ContinuousClock.Instant] = [:]
        /// Tests that wait for a sleeper with a deadline.
        var observers: [CancellableWait<Void>: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State(now: ContinuousClock.now))

    /// Makes a clock that stands still.
    public init() {}

    public var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// Moves the time forward, and wakes the tasks that slept until then.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            return state.sleepers.take { $0 <= state.now }
        }
        for sleeper in due { sleeper.resume() }
    }

    /// Waits until a task sleeps whose deadline is a duration after ``now``.
    ///
    /// - Parameter duration: The time from the call of this method to the deadline. It is compared exactly.
    /// - Throws: An ``HTTPWaitCancelled`` if the task is cancelled.
    public func waitForSleeper(dueIn duration: Duration) async throws {
        let observer = CancellableWait<Void>()
        let isAsleep = state.withLock { state in
            let deadline = state.now.advanced(by: duration)
            if state.sleepers.values.contains(deadline) { return true }
            state.observers[observer] = deadline
            return false
        }
        if isAsleep { return }
        do {
            try await observer.value()
        } catch {
            let times = state.withLock { state in
                state.observers[observer] = nil
                return state.sleepers.values.map { state.now.duration(to: $0) }.sorted().map { "\($0)" }
            }
            throw HTTPWaitCancelled(
                expected: "a sleeper due in \(duration)",
                instead: times.isEmpty ? "no task slept" : "the sleepers were due in \(times.joined(separator: ", "))")
        }
    }

    public func sleep(until deadline: ContinuousClock.Instant) async throws {
        let sleeper = CancellableWait<Void>()
        let observers = state.withLock { state -> [CancellableWait<Void>]? in
            guard deadline > state.now else { return nil }
            state.sleepers[sleeper] = deadline
            return state.observers.take { $0 == deadline }
        }
        guard let observers else { return try Task.checkCancellation() }
        for observer in observers { observer.resume() }
        defer { _ = state.withLock { $0.sleepers.removeValue(forKey: sleeper) } }
        try await sleeper.value()
    }
}

extension Dictionary where Key == CancellableWait<Void> {
    /// Removes and returns the waits whose values satisfy a condition.
    mutating func take(where isWanted: (Value) -> Bool) -> [Key] {
        let taken = filter { isWanted($0.value) }.map(\.key)
        for wait in taken { self[wait] = nil }
        return taken
    }
}

/// A clock on which nobody waits: each sleep moves the time to its end.
public final class ImmediateHTTPClock: HTTPClock {
    private struct State {
        var now: ContinuousClock.Instant
        var pauses: [Duration] = []
    }

    private let state = Mutex(State(now: ContinuousClock.now))

    /// Makes a clock.
    public init() {}

    public var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// The durations of all sleeps, in order.
    public var pauses: [Duration] { state.withLock { $0.pauses } }

    public func sleep(until deadline: ContinuousClock.Instant) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.pauses.append(state.now.duration(to: deadline))
            state.now = max(state.now, deadline)
        }
    }
}
