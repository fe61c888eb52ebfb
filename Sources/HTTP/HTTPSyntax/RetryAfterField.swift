// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The value of a `Retry-After` field (RFC 9110 §10.2.3).
package enum RetryAfterField: Sendable, Hashable {
    /// A number of seconds, from 0 to ``longestDelay``.
    case seconds(Int64)
    case date(FieldDate)

    /// The longest delay in seconds. Larger values are lowered to it (RFC 9111 §1.2.2).
    package static let longestDelay: Int64 = 1 << 31

    /// Parses a value: digits, or a date. White space around it is ignored. The result is `nil` for everything else,
    /// such as a sign or a fraction.
    ///
    /// - Parameters:
    ///   - fieldValue: The value.
    ///   - now: The time of the response in seconds since 1970, for a date with a year of two digits.
    package init?(_ fieldValue: String, now: Int64) {
        if let seconds = FieldText.number(FieldText.trimming(fieldValue[...]).utf8, limit: Self.longestDelay) {
            self = .seconds(seconds)
        } else if let date = FieldDate(fieldValue, now: now) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// Returns the time to wait, in seconds. A date in the past means no delay.
    ///
    /// - Parameter now: The current time, in seconds since 1970.
    package func delay(from now: Int64) -> Int64 {
        switch self {
        case .seconds(let seconds): seconds
        case .date(let date): min(max(date.seconds - FieldDate(seconds: now).seconds, 0), Self.longestDelay)
        }
    }
}
