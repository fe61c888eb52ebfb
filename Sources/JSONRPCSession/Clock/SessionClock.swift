// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The time of one session: a `Clock` of any kind, counted in nanoseconds from when this was made.
protocol SessionClock: Sendable {
    var now: SessionTime { get }

    /// Waits for a time. False when the task was cancelled, or the clock gave up.
    func isReached(_ time: SessionTime) async -> Bool
}

/// Makes a `Clock` a ``SessionClock``.
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
        if let deadline = deadline as? ContinuousClock.Instant { return await ContinuousClock.isReached(deadline) }
        do { try await base.sleep(until: deadline, tolerance: nil) } catch { return false }
        return true
    }
}

/// Anchors a clock whose type is not known.
func anchored(_ clock: some Clock<Duration>) -> any SessionClock { AnchoredClock(clock) }
