// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
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
/// A graceful close waits for calls in flight, at most for `SessionConfiguration.drainTimeout` of this clock. While the clock
/// stands still, `close()` returns only when the calls have ended or its task is cancelled. In a test that leaves a call
/// unanswered, call `closeNow()` instead, or advance the clock.
public final class ManualClock: Clock {
    /// A point in a clock's time.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public var offset: Duration

        /// Makes an instant.
        ///
        /// - Parameter offset: The time since the clock was made.
        public init(offset: Duration) { self.offset = offset }

        /// Returns the instant that is a duration later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the time from this instant to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Returns whether the first instant is earlier than the second.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        /// The tasks that sleep, with numbers in the order in which they began.
        var sleepers: [CancellableWait<Void>: (deadline: Instant, number: UInt64)] = [:]
        var lastNumber: UInt64 = 0
        /// Tests that wait for sleepers.
        var waits = ConditionWaits<[Instant]>()

        /// The deadlines of the tasks that sleep. A cancelled task does not, though it may not have gone yet.
        var deadlines: some Sequence<Instant> {
            sleepers.lazy.filter { !$0.key.isOver }.map(\.value.deadline)
        }
    }

    private let state = Mutex(State())

    /// The maximum time for which an `expect…` method waits.
    public let patience: Duration

    /// Makes a clock.
    ///
    /// - Parameter patience: The maximum time, of the continuous clock, for which an `expect…` method waits. The default is
    ///   20 seconds. Only a test that fails takes that long.
    public init(patience: Duration = .seconds(20)) { self.patience = patience }

    /// The current time of the clock. It is zero at first.
    public var now: Instant { state.withLock { $0.now } }

    /// The resolution of the clock: 1 nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the clock is advanced to `deadline` or beyond.
    ///
    /// - Parameters:
    ///   - deadline: The time to wake at.
    ///   - tolerance: Ignored: tasks wake exactly at their deadline.
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let wait = CancellableWait<Void>()
        let met = state.withLock { state -> [CancellableWait<Bool>]? in
            if deadline <= state.now { return nil }
            state.lastNumber += 1
            state.sleepers[wait] = (deadline, state.lastNumber)
            return state.waits.isEmpty ? [] : state.waits.takeMet(by: Array(state.deadlines))
        }
        guard let met else { return }
        defer { state.withLock { _ = $0.sleepers.removeValue(forKey: wait) } }
        met.resume(returning: true)
        try await wait.value()
    }

    // MARK: For the test

    /// Advances the clock, and wakes the tasks whose deadline has come, in the order of their deadlines.
    ///
    /// - Parameter duration: The time to advance by.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for sleeper in due.keys { state.sleepers[sleeper] = nil }
            return due.sorted { $0.value < $1.value }
        }
        for (sleeper, _) in woken { sleeper.resume() }
    }

    /// The number of tasks that sleep now.
    public var sleeperCount: Int { state.withLock { Array($0.deadlines).count } }

    /// The time until the earliest deadline of a sleeping task; `nil` if no task sleeps.
    public var timeToNextWaking: Duration? {
        state.withLock { state in
            state.deadlines.min().map { state.now.duration(to: $0) }
        }
    }

    /// Waits until at least a number of tasks sleep, at most for ``patience``.
    ///
    /// - Parameters:
    ///   - count: The number of tasks.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Throws: ``ScriptFailure`` with the sleepers that there were, or `CancellationError`.
    public func expectSleepers(
        _ count: Int, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) async throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try await expect(count == 1 ? "a sleeper" : "\(count) sleepers", at: place) { _ in { $0.count >= count } }
    }

    /// Waits until a task sleeps whose deadline is a duration after ``now``, at most for ``patience``.
    ///
    /// - Parameters:
    ///   - duration: The time from the call of this method to the deadline. It is compared exactly.
    ///   - fileID: The module and file of the call.
    ///   - filePath: The path of the file of the call.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Throws: ``ScriptFailure`` with the sleepers that there were, or `CancellationError`.
    public func expectSleeper(
        dueIn duration: Duration, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) async throws {
        let place = ScriptFailure.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        try await expect("a sleeper due in \(duration)", at: place) { now in
            let deadline = now.advanced(by: duration)
            return { $0.contains(deadline) }
        }
    }

    private func expect(
        _ what: String, at place: ScriptFailure.Location, _ condition: (Instant) -> Condition
    ) async throws {
        if try await wait(for: patience, condition) { return }
        let times = state.withLock { state in
            state.deadlines.map { state.now.duration(to: $0) }.sorted().map { "\($0)" }
        }
        let there = times.isEmpty ? "no task slept" : "the sleepers were due in \(times.joined(separator: ", "))"
        throw ScriptFailure(expected: what, instead: "after \(patience) \(there)", at: place)
    }

    /// Waits without a limit; a wait of this package's own tests, whose suites have time limits.
    package func waitForSleepers(_ count: Int) async { _ = try? await wait { _ in { $0.count >= count } } }

    /// Waits without a limit; a wait of this package's own tests, whose suites have time limits.
    package func waitForSleeper(dueIn duration: Duration) async {
        _ = try? await wait { now in
            let deadline = now.advanced(by: duration)
            return { $0.contains(deadline) }
        }
    }

    private typealias Condition = @Sendable (_ deadlines: [Instant]) -> Bool

    /// Returns `false` if the time is over before the condition holds.
    ///
    /// - Parameter condition: Returns the condition on the deadlines of the sleepers, from the current time.
    /// - Throws: A `CancellationError`.
    private func wait(for patience: Duration? = nil, _ condition: (Instant) -> Condition) async throws -> Bool {
        let wait = state.withLock { state -> CancellableWait<Bool>? in
            let isMet = condition(state.now)
            return isMet(Array(state.deadlines)) ? nil : state.waits.add(isMet)
        }
        guard let wait else { return true }
        defer { state.withLock { $0.waits.remove(wait) } }
        if let patience { after(patience) { wait.resume(returning: false) } }
        return try await wait.value()
    }
}
