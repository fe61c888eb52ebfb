// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials

/// A conversion between an attribute in documents and the value of a property, which can also validate.
///
/// The functions throw to refuse a value. A ``ResourceError`` then has the description of the error.
public protocol AttributeTransform: Sendable {
    /// The type in documents.
    associatedtype Wire: Codable & Sendable
    /// The type of the property, or of its wrapped value if it is optional.
    associatedtype Value: Equatable & Sendable

    /// Returns the value for an attribute.
    static func decode(_ wire: Wire) throws -> Value
    /// Returns the attribute for a value.
    static func encode(_ value: Value) throws -> Wire
}

/// A date in ISO 8601, such as `2026-01-31T12:00:00Z`. It reads fractions of a second, and writes milliseconds if the
/// date has a fraction.
public enum ISO8601: AttributeTransform {
    /// A text that is not a date.
    public struct InvalidDate: Error, CustomStringConvertible {
        /// The text.
        public let text: String
        public var description: String { "expected a date and time such as `2026-01-31T12:00:00Z`, found `\(text)`" }
    }

    /// Reads a date, and throws ``InvalidDate`` if the text is not one.
    public static func decode(_ wire: String) throws -> Date {
        if let date = try? Date(wire, strategy: .iso8601) { return date }
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = try? Date(wire, strategy: fractional) else { throw InvalidDate(text: wire) }
        return date
    }

    /// Writes a date in UTC.
    public static func encode(_ value: Date) throws -> String {
        let seconds = value.timeIntervalSinceReferenceDate
        let isWhole = seconds == seconds.rounded()
        return value.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: !isWhole))
    }
}
