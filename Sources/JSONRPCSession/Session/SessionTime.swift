// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A point in a session's time: nanoseconds since the session's clock was made. It takes no part in any calendar.
package struct SessionTime: Sendable, Hashable, Comparable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let zero = SessionTime(nanoseconds: 0)

    package static func < (left: SessionTime, right: SessionTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The point `duration` later. Sums beyond the range stop at its end, some 292 years away.
    package func advanced(by duration: Duration) -> SessionTime {
        advanced(byNanoseconds: Self.nanoseconds(in: duration))
    }

    /// The point that many nanoseconds later. Sums beyond the range stop at its end.
    package func advanced(byNanoseconds count: Int64) -> SessionTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
        return SessionTime(nanoseconds: overflow ? (count < 0 ? .min : .max) : sum)
    }

    /// The time from `other` to this point.
    package func duration(since other: SessionTime) -> Duration {
        .nanoseconds(nanoseconds.subtractingReportingOverflow(other.nanoseconds).partialValue)
    }

    /// A duration in whole nanoseconds, cut to what `Int64` holds.
    package static func nanoseconds(in duration: Duration) -> Int64 {
        // Of more seconds than `Int64` holds a duration gives no components.
        if duration >= .nanoseconds(Int64.max) { return .max }
        if duration <= .nanoseconds(Int64.min) { return .min }
        let (seconds, attoseconds) = duration.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, sumOverflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return sumOverflow ? (seconds < 0 ? .min : .max) : sum
    }
}
