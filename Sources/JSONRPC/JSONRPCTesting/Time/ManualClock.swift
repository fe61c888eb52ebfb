// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

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

    private typealias Sleeper = CheckedContinuation<Void, any Error>
    /// It is resumed with `false` if its expectation is not met.
    private typealias Observer = CheckedContinuation<Bool, Never>

    private enum Expectation {
        case count(Int)
        case deadline(Instant)
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID: UInt64 = 0
        var sleepers: [UInt64: (deadline: Instant, sleeper: Sleeper)] = [:]
        /// Tasks that were cancelled before they slept.
        var cancelled: Set<UInt64> = []
        /// Tests that wait for sleepers.
        var observers: [UInt64: (expectation: Expectation, observer: Observer)] = [:]

        mutating func makeID() -> UInt64 {
            nextID += 1
            return nextID
        }

        func meets(_ expectation: Expectation) -> Bool {
            switch expectation {
            case .count(let count): sleepers.count >= count
            case .deadline(let deadline): sleepers.values.contains { $0.deadline == deadline }
            }
        }

        /// Removes and returns the observers whose expectation is met.
        mutating func removeObservers() -> [Observer] {
            let content = observers.filter { meets($0.value.expectation) }
            for id in content.keys { observers[id] = nil }
            return content.values.map(\.observer)
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
        let id = state.withLock { $0.makeID() }
        // The cancellation handler has returned when the call below returns, so it cannot add the id after this.
        defer { if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(id) } } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { fallAsleep(id, until: deadline, $0) }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let entry = state.sleepers.removeValue(forKey: id) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return entry.sleeper
            }
            sleeper?.resume(throwing: CancellationError())
        }
    }

    private func fallAsleep(_ id: UInt64, until deadline: Instant, _ sleeper: Sleeper) {
        enum Outcome {
            case cancelled, over
            case sleeps([Observer])
        }
        let outcome: Outcome = state.withLock { state in
            if state.cancelled.remove(id) != nil { return .cancelled }
            if deadline <= state.now { return .over }
            state.sleepers[id] = (deadline, sleeper)
            return .sleeps(state.removeObservers())
        }
        switch outcome {
        case .cancelled: sleeper.resume(throwing: CancellationError())
        case .over: sleeper.resume()
        case .sleeps(let observers): for observer in observers { observer.resume(returning: true) }
        }
    }

    // MARK: For the test

    /// Advances the clock, and wakes the tasks whose deadline has come, in the order of their deadlines.
    ///
    /// - Parameter duration: The time to advance by.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for (_, entry) in woken { entry.sleeper.resume() }
    }

    /// The number of tasks that sleep now.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The time until the earliest deadline of a sleeping task; `nil` if no task sleeps.
    public var timeToNextWaking: Duration? {
        state.withLock { state in
            state.sleepers.values.map(\.deadline).min().map { state.now.duration(to: $0) }
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
        try await expect(count == 1 ? "a sleeper" : "\(count) sleepers", at: place) { _ in .count(count) }
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
        try await expect("a sleeper due in \(duration)", at: place) { .deadline($0.now.advanced(by: duration)) }
    }

    private func expect(
        _ what: String, at place: ScriptFailure.Location, _ expectation: @Sendable (State) -> Expectation
    ) async throws {
        if await wait(for: patience, expectation) { return }
        try Task.checkCancellation()
        let times = state.withLock { state in
            state.sleepers.values.map { state.now.duration(to: $0.deadline) }.sorted().map { "\($0)" }
        }
        let there = times.isEmpty ? "no task slept" : "the sleepers were due in \(times.joined(separator: ", "))"
        throw ScriptFailure(expected: what, instead: "after \(patience) \(there)", at: place)
    }

    /// Waits without a limit; a wait of this package's own tests, whose suites have time limits.
    package func waitForSleepers(_ count: Int) async { _ = await wait { _ in .count(count) } }

    /// Waits without a limit; a wait of this package's own tests, whose suites have time limits.
    package func waitForSleeper(dueIn duration: Duration) async {
        _ = await wait { .deadline($0.now.advanced(by: duration)) }
    }

    /// Returns `false` if the task is cancelled or the time is over before the expectation is met.
    private func wait(for patience: Duration? = nil, _ expectation: @Sendable (State) -> Expectation) async -> Bool {
        let (id, expectation) = state.withLock { ($0.makeID(), expectation($0)) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { observer in
                let isMet = state.withLock { state in
                    if state.meets(expectation) { return true }
                    state.observers[id] = (expectation, observer)
                    return false
                }
                if isMet { return observer.resume(returning: true) }
                // A cancellation before this point found no continuation to resume.
                if Task.isCancelled { return dismissObserver(id) }
                if let patience { after(patience) { [weak self] in self?.dismissObserver(id) } }
            }
        } onCancel: {
            dismissObserver(id)
        }
    }

    private func dismissObserver(_ id: UInt64) {
        state.withLock { $0.observers.removeValue(forKey: id) }?.observer.resume(returning: false)
    }
}
