// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
import TaskWaits

/// A clock that advances only when a test says so.
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
    private struct State: Sendable {
        var now = ContinuousClock.now
        var sleepers: [ContinuousClock.Instant] = []
    }

    private let state = Watched(State())

    /// Makes a clock that does not advance by itself.
    public init() {}

    public var now: ContinuousClock.Instant { state.value.now }

    /// Advances the time, and wakes the tasks that slept until then.
    public func advance(by duration: Duration) {
        state.update { state in
            state.now = state.now.advanced(by: duration)
            state.sleepers.removeAll { $0 <= state.now }
        }
    }

    /// Waits until a task sleeps with a deadline that is a duration after ``now``.
    ///
    /// - Parameter duration: The time from the call of this method to the deadline. It is compared exactly.
    /// - Throws: An ``HTTPWaitCancelled`` if the task is cancelled.
    public func waitForSleeper(dueIn duration: Duration) async throws {
        let deadline = now.advanced(by: duration)
        let instead = { (state: State) in
            let times = state.sleepers.sorted().map { "\(state.now.duration(to: $0))" }
            return times.isEmpty ? "no task slept" : "the sleepers were due in \(times.joined(separator: ", "))"
        }
        try await state.wait(for: "a sleeper due in \(duration)", instead: instead) { $0.sleepers.contains(deadline) }
    }

    public func sleep(until deadline: ContinuousClock.Instant) async throws {
        let isDue = state.update { state in
            if deadline > state.now { state.sleepers.append(deadline) }
            return deadline <= state.now
        }
        if isDue { return try Task.checkCancellation() }
        defer {
            // After a cancellation, the sleeper is still in the list.
            state.update { state in
                if let place = state.sleepers.firstIndex(of: deadline) { state.sleepers.remove(at: place) }
            }
        }
        try await state.wait { $0.now >= deadline }
    }
}

/// A clock whose sleeps end at once: each sleep advances the time to its deadline.
public final class ImmediateHTTPClock: HTTPClock {
    private struct State: Sendable {
        var now = ContinuousClock.now
        var pauses: [Duration] = []
    }

    private let state = Watched(State())

    public init() {}

    public var now: ContinuousClock.Instant { state.value.now }

    /// The durations of all sleeps, in order.
    public var pauses: [Duration] { state.value.pauses }

    public func sleep(until deadline: ContinuousClock.Instant) async throws {
        try Task.checkCancellation()
        state.update { state in
            state.pauses.append(state.now.duration(to: deadline))
            state.now = max(state.now, deadline)
        }
    }
}
