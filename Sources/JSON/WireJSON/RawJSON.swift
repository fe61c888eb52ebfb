// swift-jsonrpc · SPDX-License-Identifier: MIT

/// One JSON value as unparsed bytes, which were validated once.
///
/// Use a `RawJSON` to pass a value on without parsing it. Its bytes are a slice, so a value from a larger text can
/// share the storage of that text.
///
/// Two values are equal if their bytes are equal: `1.0` differs from `1.00`, and `{"a":1}` from `{ "a": 1 }`. Compare
/// ``JSONValue``s to compare the meaning.
public struct RawJSON: Sendable, Hashable {
    /// The value's UTF-8 bytes, without white space around them.
    public let bytes: ArraySlice<UInt8>

    /// Creates a value from bytes. The caller has verified that they are one JSON value (RFC 8259 §2).
    package init(unchecked bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    package init(unchecked bytes: [UInt8]) { self.bytes = bytes[...] }

    /// The value `null`.
    public static let null = RawJSON(unchecked: Array("null".utf8))
}

extension RawJSON {
    /// Validates bytes, and shares their storage. White space around the value is allowed, and removed.
    ///
    /// - Throws: A ``JSONSyntaxError`` if the bytes are not one JSON value.
    public init(validating bytes: ArraySlice<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        let range = try JSONScanner.read(bytes, limits: limits) { scanner throws(ScanFault) in
            try scanner.beginText()
            let start = scanner.position
            try scanner.skipValue(depth: 0)
            let end = scanner.position
            try scanner.endText()
            return start..<end
        }
        self.bytes = bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)]
    }

    /// Validates an array of bytes as the initializer for slices does.
    public init(validating bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        try self.init(validating: bytes[...], limits: limits)
    }

    /// Validates a text as the initializer for slices of bytes does.
    public init(validating text: String, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        try self.init(validating: Array(text.utf8)[...], limits: limits)
    }

    /// Encodes a value with the defaults of ``WireJSONEncoder``, except that slashes are not escaped.
    ///
    /// - Throws: An `EncodingError` if JSON cannot represent the value, or the error of the value's `encode(to:)`.
    public init(encoding value: some Encodable) throws {
        self.init(unchecked: try WireJSONEncoder.plainSlashes.encode(value))
    }

    /// Decodes the value with the defaults of ``WireJSONDecoder``.
    ///
    /// - Throws: A `DecodingError` if the value does not fit the type, or the error of the type's `init(from:)`.
    public func decode<T: Decodable>(as type: T.Type = T.self) throws -> T {
        try WireJSONDecoder().decode(type, from: self)
    }

    /// The value as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension RawJSON: CustomStringConvertible {
    public var description: String { text }
}
