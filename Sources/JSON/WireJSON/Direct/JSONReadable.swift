// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A type that is read from the text of a value without `Codable`'s containers.
///
/// `@JSONCodable` of the module `WireJSONMacros` writes the conformance. ``WireJSONDecoder`` uses it wherever it meets the
/// type, also inside types that only have `Codable`. The result is that of the type's `init(from:)`, and so are the errors:
/// a reader that meets anything unusual throws ``JSONFallback``, and the decoder goes the way through `Codable` instead.
/// With a key strategy, or if repeated members are refused, it always goes that way.
public protocol JSONReadable: Decodable {
    /// Reads a value that begins at the reader's position, and moves the reader behind it.
    ///
    /// - Throws: ``JSONFallback`` if the value is not one of this type, or not JSON.
    init(reading reader: inout JSONReader) throws(JSONFallback)
}

/// A type that is written as JSON without `Codable`'s containers.
///
/// `@JSONCodable` of the module `WireJSONMacros` writes the conformance. ``WireJSONEncoder`` uses it wherever it meets the
/// type, also inside types that only have `Codable`. The text is that of the type's `encode(to:)`. With a key strategy, the
/// encoder goes the way through `Codable`.
public protocol JSONWritable: Encodable {
    /// Writes the value behind what the writer has written.
    ///
    /// - Throws: ``JSONFallback`` if JSON has no such value.
    func write(to writer: inout JSONWriter) throws(JSONFallback)
}

/// Sends a coder the way through `Codable`, which gives the value or the error.
public struct JSONFallback: Error {
    /// Creates the error.
    @inlinable
    public init() {}
}
