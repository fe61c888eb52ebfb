// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONValue: ExpressibleByStringInterpolation {}

extension JSONValue {
    /// A number, exactly.
    public init(_ value: some FixedWidthInteger) {
        if let integer = Int64(exactly: value) {
            self = .number(JSONNumber(integer))
        } else if let integer = UInt64(exactly: value) {
            self = .number(JSONNumber(integer))
        } else {
            self = .number(JSONNumber(storage: .text(value.description)))
        }
    }

    /// A number; nil for infinity and for values that are not numbers, which JSON cannot express.
    public init?(_ value: Double) {
        guard let number = JSONNumber(value) else { return nil }
        self = .number(number)
    }

    /// A string.
    public init(_ value: String) { self = .string(value) }

    /// A boolean.
    public init(_ value: Bool) { self = .bool(value) }

    /// Encodes a value. To encode with other strategies, use a ``WireJSONEncoder``.
    ///
    /// - Throws: an `EncodingError`, or the error of the value's own encoding.
    public init(encoding value: some Encodable) throws {
        if let value = value as? JSONValue {
            self = value
        } else {
            try self.init(RawJSON(encoding: value))
        }
    }
}
