// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes values from JSON bytes.
public struct WireJSONDecoder: Sendable {
    /// Makes a decoder.
    public init() {}

    /// Decodes a value from one JSON text.
    ///
    /// - Throws: a `DecodingError`, or what the type's own decoding throws.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        try decode(type, from: bytes[...])
    }

    /// Decodes a value from one JSON text.
    ///
    /// - Throws: a `DecodingError`, or what the type's own decoding throws.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: ArraySlice<UInt8>) throws -> T {
        do {
            return try decode(type, from: RawJSON(validating: bytes))
        } catch let error as JSONSyntaxError {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: error.description, underlyingError: error)
            )
        }
    }

    /// Decodes a value.
    ///
    /// - Throws: a `DecodingError`, or what the type's own decoding throws.
    public func decode<T: Decodable>(_ type: T.Type, from json: RawJSON) throws -> T {
        if let raw = json as? T { return raw }
        if type == JSONValue.self, let value = try JSONValue(json) as? T { return value }
        return try JSONDecoder().decode(type, from: Data(json.bytes))
    }
}
