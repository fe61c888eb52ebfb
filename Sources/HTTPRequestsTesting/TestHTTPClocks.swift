// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
import Synchronization

/// A clock whose time passes only when a test says so.
///
/// ```swift
/// let clock = ManualHTTPClock()
/// configuration.clock = clock
/// …                                     // a request with a limit of 60 seconds
/// clock.advance(by: .seconds(60))       // the limit is exceeded
/// ```
public final class ManualHTTPClock: HTTPClock {
    private struct State {
        var now: ContinuousClock.Instant
        var sleepers: [UInt64: (deadline: ContinuousClock.Instant, gate: HTTPGate)] = [:]
        var lastNumber: UInt64 = 0
        /// Tests that wait for a sleeper with a deadline.
        var observers: [(deadline: ContinuousClock.Instant, gate: HTTPGate)] = []
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

    /// Waits until a task sleeps that will wake after a duration from now, or earlier.
    public func waitForSleeper(dueIn duration: Duration) async {
        let gate = HTTPGate()
        let isAsleep = state.withLock { state in
            let deadline = state.now.advanced(by: duration)
            if state.sleepers.values.contains(where: { $0.deadline <= deadline }) { return true }
            state.observers.append((deadline, gate))
            return false
        }
        if !isAsleep { try? await gate.pass() }
    }

    public func sleep(until deadline: ContinuousClock.Instant) async throws {
        let (entry, observers) = register(deadline)
        for gate in observers { gate.open() }
        guard let entry else { return try Task.checkCancellation() }
        defer { _ = state.withLock { $0.sleepers.removeValue(forKey: entry.number) } }
        try await entry.gate.pass()
    }

    private func register(
        _ deadline: ContinuousClock.Instant
    ) -> (entry: (number: UInt64, gate: HTTPGate)?, observers: [HTTPGate]) {
        state.withLock { state in
            guard deadline > state.now else { return (nil, []) }
            state.lastNumber += 1
            let gate = HTTPGate()
            state.sleepers[state.lastNumber] = (deadline, gate)
            let index = state.observers.partition { deadline <= $0.deadline }
            let observers = state.observers[index...].map(\.gate)
            state.observers.removeSubrange(index...)
            return ((state.lastNumber, gate), observers)
        }
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
