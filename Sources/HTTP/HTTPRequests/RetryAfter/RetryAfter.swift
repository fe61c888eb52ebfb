// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials
import HTTPSyntax
package import HTTPTypes

/// The value of a `Retry-After` field (RFC 9110 §10.2.3): how long a client should wait before its next request.
public enum RetryAfter: Sendable, Hashable {
    /// A number of seconds, from 0 to ``longestDelaySeconds``.
    case seconds(Int64)
    /// A point in time.
    case date(Date)

    /// The longest delay, 2 147 483 648 seconds (68 years). Larger values are lowered to it, as RFC 9111 §1.2.2 asks.
    public static let longestDelaySeconds: Int64 = FieldDate.longestDelay

    /// Parses the value of the field: digits, or a date in one of the three forms of RFC 9110 §5.6.7.
    ///
    /// White space around the value is ignored. The result is `nil` for everything else, such as a sign or a fraction.
    ///
    /// - Parameters:
    ///   - fieldValue: The value of the field.
    ///   - now: The time of the response, which decides the century of a two-digit year.
    public init?(_ fieldValue: String, now: Date = Date()) {
        if let seconds = FieldDate.delaySeconds(fieldValue) {
            self = .seconds(seconds)
        } else if let date = HTTPDate.date(from: fieldValue, now: now) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// Returns the time to wait, at least zero and at most ``longestDelaySeconds``.
    ///
    /// The value comes from the server, so callers should limit it further.
    ///
    /// - Parameter now: The current time.
    public func delay(from now: Date) -> Duration {
        switch self {
        case .seconds(let seconds):
            return .seconds(min(max(seconds, 0), Self.longestDelaySeconds))
        case .date(let date):
            let interval = date.timeIntervalSince(now)
            guard interval > 0 else { return .zero }
            return .seconds(min(interval, Double(Self.longestDelaySeconds)))
        }
    }
}

extension HTTPFields {
    /// Returns the time that `Retry-After` asks to wait; `nil` if there is no such field, or the first is malformed.
    package func retryDelay(from now: Date = Date()) -> Duration? {
        self[values: .retryAfter].first.flatMap { RetryAfter($0, now: now) }?.delay(from: now)
    }
}
