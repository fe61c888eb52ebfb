// swift-jsonrpc · SPDX-License-Identifier: MIT

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

    /// Returns the time from `other` to this point.
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
