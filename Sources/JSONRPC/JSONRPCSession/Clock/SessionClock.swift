// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TaskWaits

/// The clock of one session: any `Clock`, in nanoseconds since this value was made.
package protocol SessionClock: Sendable {
    var now: SessionTime { get }

    /// Waits for a time. Returns `false` if the task was cancelled or the clock threw an error.
    func isReached(_ time: SessionTime) async -> Bool
}

struct AnchoredClock<Base: Clock>: SessionClock where Base.Duration == Duration {
    private let base: Base
    private let origin: Base.Instant

    init(_ base: Base) {
        self.base = base
        origin = base.now
    }

    var now: SessionTime { SessionTime.zero.advanced(by: origin.duration(to: base.now)) }

    func isReached(_ time: SessionTime) async -> Bool {
        let deadline = origin.advanced(by: .nanoseconds(time.nanoseconds))
        do { try await base.sleep(until: deadline, tolerance: nil) } catch { return false }
        return true
    }
}

/// The continuous clock without the 128-bit arithmetic of `Duration`, because each call with a timeout reads it.
struct ContinuousSessionClock: SessionClock {
    private let start: ContinuousClock.Instant
    private let origin: Int64

    init(_ clock: ContinuousClock) {
        start = clock.now
        origin = Self.nanoseconds
    }

    var now: SessionTime { SessionTime(nanoseconds: Self.nanoseconds &- origin) }

    func isReached(_ time: SessionTime) async -> Bool {
        await ContinuousClock.isReached(start.advanced(by: .nanoseconds(time.nanoseconds)))
    }

    /// The time of `ContinuousClock`, in nanoseconds.
    private static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

extension SessionClock {
    /// Returns the value of an operation; `nil` if it has not ended by a deadline. Then it is cancelled.
    ///
    /// - Throws: The error of the operation; a `CancellationError`.
    package func value<Value: Sendable>(
        until deadline: SessionTime?, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        guard let deadline else { return try await operation() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                guard await isReached(deadline) else { throw CancellationError() }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}

/// Returns a session clock for a clock of any type.
package func anchored(_ clock: some Clock<Duration>) -> any SessionClock {
    if let clock = clock as? ContinuousClock { return ContinuousSessionClock(clock) }
    return AnchoredClock(clock)
}

/// A point in time: nanoseconds since the session's clock was made.
package struct SessionTime: Sendable, Hashable, Comparable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let zero = SessionTime(nanoseconds: 0)

    package static func < (left: SessionTime, right: SessionTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the point `duration` later. Overflow is clamped to the end of the range, about 292 years.
    package func advanced(by duration: Duration) -> SessionTime {
        advanced(byNanoseconds: Self.nanoseconds(in: duration))
    }

    /// Returns the point that many nanoseconds later. Overflow is clamped to the end of the range.
    package func advanced(byNanoseconds count: Int64) -> SessionTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
        return SessionTime(nanoseconds: overflow ? (count < 0 ? .min : .max) : sum)
    }

    package func duration(since other: SessionTime) -> Duration {
        .nanoseconds(nanoseconds.subtractingReportingOverflow(other.nanoseconds).partialValue)
    }

    /// Returns a duration in whole nanoseconds, clamped to the range of `Int64`.
    package static func nanoseconds(in duration: Duration) -> Int64 {
        // A duration with more seconds than `Int64` can hold has no components.
        if duration >= .nanoseconds(Int64.max) { return .max }
        if duration <= .nanoseconds(Int64.min) { return .min }
        let (seconds, attoseconds) = duration.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, sumOverflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return sumOverflow ? (seconds < 0 ? .min : .max) : sum
    }
}

extension ContinuousClock {
    /// Waits for a time. Returns `false` if the task was cancelled; then no resources remain.
    ///
    /// With `sleep`, the memory of a session with a timeout of 60 s would be kept for up to 60 s after its end: see
    /// ``DispatchTimer``.
    static func isReached(_ deadline: Instant) async -> Bool {
        while !Task.isCancelled {
            let remaining = now.duration(to: deadline)
            if remaining <= .zero { return true }
            // Dispatch's clock stops while the machine is suspended, and this clock does not, so it is read again.
            // The loop compares the time again, so fractions of a nanosecond do not matter.
            let delay = SessionTime.nanoseconds(in: min(remaining, .seconds(60))) + 1
            let wait = CancellableWait<Void>()
            let timer = DispatchTimer(nanoseconds: delay) { wait.resume() }
            defer { timer.cancel() }
            guard (try? await wait.value()) != nil else { return false }
        }
        return false
    }
}
