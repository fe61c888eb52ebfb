// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials
import HTTPSyntax

/// Dates in header fields (RFC 9110 §5.6.7).
public enum HTTPDate {
    /// Parses a date in any of the three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994`.
    ///
    /// The weekday is not compared with the date. A leap second counts as the first second of the next minute.
    ///
    /// - Parameters:
    ///   - text: The date.
    ///   - now: The current time. A two-digit year that would be more than 50 years later is read as a past year.
    /// - Returns: The date; `nil` if the text is malformed, or names a day or time that does not exist.
    public static func date(from text: String, now: Date = Date()) -> Date? {
        FieldDate(text, now: FieldDate(now).seconds).map { Date(timeIntervalSince1970: Double($0.seconds)) }
    }

    /// Writes a date in the preferred form, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// Fractions of a second are dropped. A date outside the years 0 to 9999 becomes the nearest date in that range.
    public static func string(from date: Date) -> String { FieldDate(date).text }
}

extension FieldDate {
    /// Drops the fraction of a second.
    init(_ date: Date) {
        let interval = date.timeIntervalSince1970.rounded(.down)
        self.init(seconds: interval.isNaN ? 0 : Int64(min(max(interval, -1e12), 1e12)))
    }
}
