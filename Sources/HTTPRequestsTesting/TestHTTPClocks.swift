// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
import Synchronization

/// A clock whose time passes only when a test says so.
///
/// ```swift
/// let clock = ManualHTTPClock()
/// var configuration = HTTPSessionConfiguration()
/// configuration.clock = clock
/// …                                     // a request with a limit of 60 seconds is sent
/// await transport.waitForRequests(1)
/// clock.advance(by: .seconds(60))       // the limit is exceeded
/// ```
public final class ManualHTTPClock: HTTPClock {
    private struct State {
        var now: ContinuousClock.Instant
        var sleepers: [UInt64: (deadline: ContinuousClock.Instant, gate: HTTPGate)] = [:]
        var lastNumber: UInt64 = 0
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

    public func sleep(until deadline: ContinuousClock.Instant) async throws {
        let entry = state.withLock { state -> (number: UInt64, gate: HTTPGate)? in
            guard deadline > state.now else { return nil }
            state.lastNumber += 1
            let gate = HTTPGate()
            state.sleepers[state.lastNumber] = (deadline, gate)
            return (state.lastNumber, gate)
        }
        guard let entry else { return try Task.checkCancellation() }
        defer { _ = state.withLock { $0.sleepers.removeValue(forKey: entry.number) } }
        try await entry.gate.pass()
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
