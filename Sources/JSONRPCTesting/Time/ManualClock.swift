// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A clock that stands still until a test moves it on.
///
/// ```swift
/// let clock = ManualClock()
/// configuration.clock = clock
/// async let answer = …                       // a call with a timeout of 5 s
/// await clock.waitForSleepers(1)             // the session has set its timer
/// clock.advance(by: .seconds(5))             // now it is over
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

    private struct State {
        var now = Instant(offset: .zero)
        var nextID: UInt64 = 0
        var sleepers: [UInt64: (deadline: Instant, sleeper: Sleeper)] = [:]
        /// Cancelled before they slept.
        var cancelled: Set<UInt64> = []
        /// Tests that wait until so many sleep.
        var observers: [(count: Int, observer: CheckedContinuation<Void, Never>)] = []

        /// The observers that have waited long enough.
        mutating func removeObservers() -> [CheckedContinuation<Void, Never>] {
            let content = observers.filter { $0.count <= sleepers.count }
            observers.removeAll { $0.count <= sleepers.count }
            return content.map(\.observer)
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
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
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

    /// Moves the clock on, and wakes those whose time has come, the earliest first.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for (_, entry) in woken { entry.sleeper.resume() }
    }

    /// How many sleep now.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// When the next sleeper is to be woken, measured from now; nil when nobody sleeps.
    public var timeToNextWaking: Duration? {
        state.withLock { state in
            state.sleepers.values.map(\.deadline).min().map { state.now.duration(to: $0) }
        }
    }

    /// Waits until at least this many sleep.
    public func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { observer in
            let isContent = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.observers.append((count, observer))
                return false
            }
            if isContent { observer.resume() }
        }
    }
}
