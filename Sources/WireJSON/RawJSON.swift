// swift-jsonrpc · SPDX-License-Identifier: MIT

/// One JSON value as its own bytes, kept as they are: validated once, never parsed until asked.
///
/// A `RawJSON` is the cheap way to carry a value through a program which does not look inside it. Its bytes are a
/// slice, so a value taken out of a larger message can share that message's storage.
///
/// Two are equal when their bytes are: `1.0` differs from `1.00`, and `{"a":1}` from `{ "a": 1 }`. Compare
/// ``JSONValue``s to compare what they stand for.
public struct RawJSON: Sendable, Hashable {
    /// The value's UTF-8 bytes, without white space around them.
    public let bytes: ArraySlice<UInt8>

    /// Wraps bytes which the caller has already found to be one JSON value (RFC 8259 §2).
    package init(unchecked bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// Wraps bytes which the caller has already found to be one JSON value (RFC 8259 §2).
    package init(unchecked bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    /// The value `null`.
    public static let null = RawJSON(unchecked: Array("null".utf8))
}

extension RawJSON {
    /// Takes bytes that are one JSON value, with or without white space around it, and keeps its storage.
    ///
    /// - Throws: a ``JSONSyntaxError`` when they are not.
    public init(validating bytes: ArraySlice<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        let range = try Self.valueRange(in: bytes, limits: limits)
        self.bytes = bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)]
    }

    /// Takes bytes that are one JSON value, with or without white space around it.
    ///
    /// - Throws: a ``JSONSyntaxError`` when they are not.
    public init(validating bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        try self.init(validating: bytes[...], limits: limits)
    }

    /// Takes a text that is one JSON value, with or without white space around it.
    ///
    /// - Throws: a ``JSONSyntaxError`` when it is not.
    public init(validating text: String, limits: JSONLimits = JSONLimits()) throws(JSONSyntaxError) {
        try self.init(validating: Array(text.utf8)[...], limits: limits)
    }

    private static func valueRange(
        in bytes: ArraySlice<UInt8>, limits: JSONLimits
    ) throws(JSONSyntaxError) -> Range<Int> {
        let result = bytes.withUnsafeBytes { text -> Result<Range<Int>, JSONSyntaxError> in
            guard var scanner = JSONScanner(text, limits: limits) else {
                return .failure(JSONSyntaxError(.emptyText, at: 0, in: text))
            }
            do throws(ScanFault) {
                try scanner.beginText()
                let start = scanner.position
                try scanner.skipValue(depth: 0)
                let end = scanner.position
                try scanner.endText()
                return .success(start..<end)
            } catch {
                return .failure(JSONSyntaxError(error, in: text))
            }
        }
        return try result.get()
    }

    /// Encodes a value.
    ///
    /// - Throws: an `EncodingError`, or what the value's own encoding throws.
    public init(encoding value: some Encodable) throws {
        self.init(unchecked: try WireJSONEncoder.message.encode(value))
    }

    /// Decodes a value.
    ///
    /// - Throws: a `DecodingError`, or what the type's own decoding throws.
    public func decode<T: Decodable>(as type: T.Type = T.self) throws -> T {
        try WireJSONDecoder().decode(type, from: self)
    }

    /// The value as text.
    public var text: String {
        String(decoding: bytes, as: UTF8.self)
    }
}

extension RawJSON: CustomStringConvertible {
    /// The value as text.
    public var description: String { text }
}
