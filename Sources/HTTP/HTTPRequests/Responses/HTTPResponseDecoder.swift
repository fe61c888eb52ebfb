// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import WireJSON

/// A decoder of the bodies of responses. Any number of tasks use it concurrently.
public protocol HTTPResponseDecoder: Sendable {
    /// The media type that the decoder reads, for the `Accept` field. The default is `application/json`.
    var mediaType: String { get }

    /// Decodes a value from a whole body.
    ///
    /// - Throws: A `DecodingError`, or any other error that the type's decoding throws.
    func decode<Value: Decodable>(_ type: Value.Type, fromBody bytes: [UInt8]) throws -> Value
}

extension HTTPResponseDecoder {
    public var mediaType: String { "application/json" }
}

extension WireJSONDecoder: HTTPResponseDecoder {
    public func decode<Value: Decodable>(_ type: Value.Type, fromBody bytes: [UInt8]) throws -> Value {
        try decode(type, from: bytes)
    }
}

extension JSONDecoder: HTTPResponseDecoder {
    public func decode<Value: Decodable>(_ type: Value.Type, fromBody bytes: [UInt8]) throws -> Value {
        try decode(type, from: Data(bytes))
    }
}

extension HTTPResponseDecoder where Self == WireJSONDecoder {
    /// WireJSON's decoder with its default options.
    public static var wireJSON: WireJSONDecoder { WireJSONDecoder() }
}
