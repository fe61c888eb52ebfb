// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits

/// A clock that advances only when a test calls ``advance(by:)``.
///
/// ```swift
/// let clock = ManualClock()
/// var configuration = SessionConfiguration()
/// configuration.clock = clock
/// …                                                  // a call with a timeout of 5 seconds
/// try await clock.expectSleeper(dueIn: .seconds(5))  // the session has started its timer
/// clock.advance(by: .seconds(5))                     // the call times out
/// ```
///
/// Sessions and clients leave no sleepers behind: the timer of a call ends with the call.
///
/// A graceful close waits for calls in flight, at most for `SessionConfiguration.drainTimeout` of this clock. While the
/// clock stands still, `close()` returns only when the calls have ended or its task is cancelled. In a test that leaves
/// a call unanswered, call `closeNow()` instead, or advance the clock.
public final class ManualClock: Clock {
    /// A point in a clock's time.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public var offset: Duration

        public init(offset: Duration) { self.offset = offset }

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        public func duration(to other: Instant) -> Duration { other.offset - offset }

        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        var deadline: Instant
        /// The number of the sleep. Of sleepers with the same deadline, the first wakes first.
        var number: Int
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepCount = 0
        var sleepers: [CancellableWait<Void>: Sleeper] = [:]

        /// The deadlines of the tasks that sleep. A cancelled task removes its sleeper a little later.
        var deadlines: [Instant] { sleepers.filter { !$0.key.isOver }.map(\.value.deadline) }
    }

    private let state = Watched(State())

    /// The maximum time, of the continuous clock, for which an `expect…` method waits. The default is 20 seconds.
    public let patience: Duration

    /// Makes a clock. Only a test that fails takes as long as its `patience`.
    public init(patience: Duration = .seconds(20)) { self.patience = patience }

    /// The current time of the clock. It is zero at first.
    public var now: Instant { state.withLock { $0.now } }

    /// The resolution of the clock: 1 nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the clock is advanced to `deadline` or beyond. The tolerance is ignored.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let wait = CancellableWait<Void>()
        let sleeps = state.update { state in
            guard deadline > state.now else { return false }
            state.sleepCount += 1
            state.sleepers[wait] = Sleeper(deadline: deadline, number: state.sleepCount)
            return true
        }
        guard sleeps else { return }
        defer { state.withLock { $0.sleepers[wait] = nil } }
        try await wait.value()
    }

    // MARK: For the test

    /// Advances the clock, and wakes the tasks whose deadline has come, in the order of their deadlines.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for wait in due.keys { state.sleepers[wait] = nil }
            return due.sorted { ($0.value.deadline, $0.value.number) < ($1.value.deadline, $1.value.number) }
        }
        for (wait, _) in woken { wait.resume() }
    }

    /// The number of tasks that sleep now.
    public var sleeperCount: Int { state.withLock { $0.deadlines.count } }

    /// The time until the earliest deadline of a sleeping task; `nil` if no task sleeps.
    public var timeToNextWaking: Duration? {
        state.withLock { state in state.deadlines.min().map { state.now.duration(to: $0) } }
    }

    /// Waits until at least a number of tasks sleep, at most for ``patience``.
    ///
    /// The last four parameters of this method and of the next one are the place that a ``ScriptFailure`` names: leave
    /// them out.
    ///
    /// - Throws: ``ScriptFailure`` with the sleepers that there were, or `CancellationError`.
    public func expectSleepers(
        _ count: Int, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) async throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try await expect(count == 1 ? "a sleeper" : "\(count) sleepers", at: place) { $0.deadlines.count >= count }
    }

    /// Waits until a task sleeps whose deadline is a duration after ``now``, at most for ``patience``.
    ///
    /// The duration counts from the call of this method to the deadline, and is compared exactly.
    ///
    /// - Throws: ``ScriptFailure`` with the sleepers that there were, or `CancellationError`.
    public func expectSleeper(
        dueIn duration: Duration, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) async throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        let deadline = now.advanced(by: duration)
        try await expect("a sleeper due in \(duration)", at: place) { $0.deadlines.contains(deadline) }
    }

    private func expect(
        _ what: String, at place: ScriptFailure.Location, until isMet: @escaping @Sendable (State) -> Bool
    ) async throws {
        if try await state.wait(atMost: patience, until: isMet) { return }
        let times = state.withLock { state in
            state.deadlines.map { state.now.duration(to: $0) }.sorted().map { "\($0)" }
        }
        let there = times.isEmpty ? "no task slept" : "the sleepers were due in \(times.joined(separator: ", "))"
        throw ScriptFailure(expected: what, instead: "after \(patience) \(there)", location: place)
    }

    /// Waits without a limit; a wait of this package's own tests, whose suites have time limits.
    package func waitForSleepers(_ count: Int) async { _ = try? await state.wait { $0.deadlines.count >= count } }

    /// Waits without a limit; a wait of this package's own tests, whose suites have time limits.
    package func waitForSleeper(dueIn duration: Duration) async {
        let deadline = now.advanced(by: duration)
        _ = try? await state.wait { $0.deadlines.contains(deadline) }
    }
}
