// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
import Synchronization

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
        var sleepers: [UInt64: (deadline: ContinuousClock.Instant, gate: HTTPGate)] = [:]
        /// Tests that wait for a sleeper.
        var observers: [UInt64: (deadline: ContinuousClock.Instant, gate: HTTPGate)] = [:]
        var lastNumber: UInt64 = 0

        mutating func makeNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        /// Removes and returns the gates of the tests that wait for a sleeper with a deadline.
        mutating func takeObservers(of deadline: ContinuousClock.Instant) -> [HTTPGate] {
            let content = observers.filter { $0.value.deadline == deadline }
            for number in content.keys { observers[number] = nil }
            return content.values.map(\.gate)
        }
    }

    private let state = Mutex(State(now: ContinuousClock.now))

    /// Makes a clock that stands still.
    public init() {}

    public var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// Moves the time forward, and wakes the tasks that slept until then.
    public func advance(by duration: Duration) {
        let gates = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers.removeValue(forKey: number) }
            return due.values.map(\.gate)
        }
        for gate in gates { gate.open() }
    }

    /// Waits until a task sleeps whose deadline is a duration after ``now``.
    ///
    /// - Parameter duration: The time from the call of this method to the deadline. It is compared exactly.
    /// - Throws: An ``HTTPWaitCancelled`` if the task is cancelled.
    public func waitForSleeper(dueIn duration: Duration) async throws {
        let gate = HTTPGate()
        let number = state.withLock { state -> UInt64? in
            let deadline = state.now.advanced(by: duration)
            if state.sleepers.values.contains(where: { $0.deadline == deadline }) { return nil }
            let number = state.makeNumber()
            state.observers[number] = (deadline, gate)
            return number
        }
        guard let number else { return }
        do {
            try await gate.pass()
        } catch {
            let times = state.withLock { state in
                state.observers[number] = nil
                return state.sleepers.values.map { state.now.duration(to: $0.deadline) }.sorted().map { "\($0)" }
            }
            throw HTTPWaitCancelled(
                expected: "a sleeper due in \(duration)",
                instead: times.isEmpty ? "no task slept" : "the sleepers were due in \(times.joined(separator: ", "))")
        }
    }

    public func sleep(until deadline: ContinuousClock.Instant) async throws {
        let gate = HTTPGate()
        let entry = state.withLock { state -> (number: UInt64, observers: [HTTPGate])? in
            guard deadline > state.now else { return nil }
            let number = state.makeNumber()
            state.sleepers[number] = (deadline, gate)
            return (number, state.takeObservers(of: deadline))
        }
        guard let entry else { return try Task.checkCancellation() }
        for observer in entry.observers { observer.open() }
        defer { _ = state.withLock { $0.sleepers.removeValue(forKey: entry.number) } }
        try await gate.pass()
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
