// swift-jsonrpc · SPDX-License-Identifier: MIT

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

/// Anchors a clock whose type is not known.
func anchored(_ clock: some Clock<Duration>) -> any SessionClock { AnchoredClock(clock) }
