// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The time of one session: a `Clock` of any kind, counted in nanoseconds from when this was made.
protocol SessionClock: Sendable {
    var now: SessionTime { get }

    func sleep(until time: SessionTime) async throws
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

    func sleep(until time: SessionTime) async throws {
        try await base.sleep(until: origin.advanced(by: .nanoseconds(time.nanoseconds)), tolerance: nil)
    }
}

/// The continuous clock, read without the 128-bit arithmetic of `Duration`: each call with a timeout reads it.
struct ContinuousSessionClock: SessionClock {
    private let base: AnchoredClock<ContinuousClock>
    private let origin: Int64

    init(_ clock: ContinuousClock) {
        base = AnchoredClock(clock)
        origin = Self.nanoseconds
    }

    var now: SessionTime { SessionTime(nanoseconds: Self.nanoseconds &- origin) }

    func sleep(until time: SessionTime) async throws { try await base.sleep(until: time) }

    /// What `ContinuousClock` counts, in nanoseconds.
    private static var nanoseconds: Int64 {
        #if os(Linux)
            let clock = CLOCK_BOOTTIME
        #else
            let clock = CLOCK_MONOTONIC_RAW
        #endif
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

/// Anchors a clock whose type is not known.
func anchored(_ clock: some Clock<Duration>) -> any SessionClock {
    if let clock = clock as? ContinuousClock { return ContinuousSessionClock(clock) }
    return AnchoredClock(clock)
}
