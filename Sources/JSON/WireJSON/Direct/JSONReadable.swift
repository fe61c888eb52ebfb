// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A type that is read from JSON without `Codable`'s containers.
///
/// `@JSONCodable` of the module `WireJSONMacros` writes the conformance. ``WireJSONDecoder`` uses it wherever the type
/// occurs, also in types that are only `Codable`. The value and the errors are those of the type's `init(from:)`: if
/// the input is unusual, a reader throws ``JSONFallback``, and the decoder falls back to `Codable`. With a key
/// strategy, or if repeated members are refused, the decoder only uses `Codable`.
public protocol JSONReadable: Decodable {
    /// Reads a value that begins at the reader's position, and moves the reader past it.
    ///
    /// - Throws: ``JSONFallback`` if the value is not JSON or does not fit the type.
    init(reading reader: inout JSONReader) throws(JSONFallback)
}

/// A type that is written as JSON without `Codable`'s containers.
///
/// `@JSONCodable` of the module `WireJSONMacros` writes the conformance. ``WireJSONEncoder`` uses it wherever the type
/// occurs, also in types that are only `Codable`. The text is that of the type's `encode(to:)`. With a key strategy,
/// the encoder only uses `Codable`.
public protocol JSONWritable: Encodable {
    /// Writes the value at the end of the writer's text.
    ///
    /// - Throws: ``JSONFallback`` if JSON cannot represent the value.
    func write(to writer: inout JSONWriter) throws(JSONFallback)
}

/// The error that makes a coder fall back to `Codable`, which gives the value or its own error.
public struct JSONFallback: Error {
    /// Creates the error.
    @inlinable
    public init() {}
}
