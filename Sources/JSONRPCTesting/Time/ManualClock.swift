// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A clock that stands still until a test moves it on.
///
/// ```swift
/// let clock = ManualClock()
/// configuration.clock = clock
/// async let answer = …                                // a call with a timeout of 5 s
/// await clock.waitForSleeper(dueIn: .seconds(5))      // the session has set its timer
/// clock.advance(by: .seconds(5))                      // the time is over
/// ```
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

    private typealias Sleeper = CheckedContinuation<Void, any Error>

    private enum Expectation {
        case count(Int)
        case deadline(Instant)
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID: UInt64 = 0
        var sleepers: [UInt64: (deadline: Instant, sleeper: Sleeper)] = [:]
        /// Cancelled before they slept.
        var cancelled: Set<UInt64> = []
        /// Tests that wait for sleepers.
        var observers: [UInt64: (expectation: Expectation, observer: CheckedContinuation<Void, Never>)] = [:]

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

        /// The observers that have waited long enough.
        mutating func removeObservers() -> [CheckedContinuation<Void, Never>] {
            let content = observers.filter { meets($0.value.expectation) }
            for id in content.keys { observers[id] = nil }
            return content.values.map(\.observer)
        }
    }

    private let state = Mutex(State())

    public init() {}

    public var now: Instant { state.withLock { $0.now } }

    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the clock is moved to `deadline` or beyond.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { $0.makeID() }
        // The handler has ended when the call below returns, so nothing can be left behind.
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
            case sleeps([CheckedContinuation<Void, Never>])
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
        case .sleeps(let observers): for observer in observers { observer.resume() }
        }
    }

    // MARK: For the test

    /// Moves the clock on, and wakes the tasks whose time has come, the earliest first.
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

    /// The time until the next task is to be woken; `nil` if none sleeps.
    public var timeToNextWaking: Duration? {
        state.withLock { state in
            state.sleepers.values.map(\.deadline).min().map { state.now.duration(to: $0) }
        }
    }

    /// Waits until at least so many tasks sleep, or the waiting task is cancelled.
    public func waitForSleepers(_ count: Int) async {
        await wait { _ in .count(count) }
    }

    /// Waits until a task sleeps that is to be woken this long after now, or the waiting task is cancelled.
    ///
    /// - Parameter duration: Measured from the time at which this method is called, and compared exactly.
    public func waitForSleeper(dueIn duration: Duration) async {
        await wait { .deadline($0.now.advanced(by: duration)) }
    }

    private func wait(for expectation: @Sendable (State) -> Expectation) async {
        let (id, expectation) = state.withLock { ($0.makeID(), expectation($0)) }
        await withTaskCancellationHandler {
            await withCheckedContinuation { observer in
                let isMet = state.withLock { state in
                    if state.meets(expectation) { return true }
                    state.observers[id] = (expectation, observer)
                    return false
                }
                if isMet { observer.resume() }
                // A cancellation before this has found nobody to resume.
                if Task.isCancelled { dismissObserver(id) }
            }
        } onCancel: {
            dismissObserver(id)
        }
    }

    private func dismissObserver(_ id: UInt64) {
        state.withLock { $0.observers.removeValue(forKey: id) }?.observer.resume()
    }
}
