// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes values as JSON bytes.
public struct WireJSONEncoder: Sendable {
    /// Makes an encoder.
    public init() {}

    /// Encodes a value as one JSON text.
    ///
    /// - Throws: an `EncodingError`, or what the value's own encoding throws.
    public func encode(_ value: some Encodable) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try encode(value, into: &bytes)
        return bytes
    }

    /// Encodes a value as one JSON text at the end of a buffer, which stays as it was when encoding fails.
    ///
    /// - Throws: an `EncodingError`, or what the value's own encoding throws.
    public func encode(_ value: some Encodable, into bytes: inout [UInt8]) throws {
        if let raw = value as? RawJSON {
            bytes.append(contentsOf: raw.bytes)
        } else if let value = value as? JSONValue {
            value.write(into: &bytes)
        } else {
            bytes.append(contentsOf: try JSONEncoder().encode(value))
        }
    }
}
