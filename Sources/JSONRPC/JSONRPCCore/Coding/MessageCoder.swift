// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A coder for the params and results of calls in both directions.
///
/// The default coder of a client is ``WireJSONCoder``. A coder must be thread-safe, because any number of tasks use it
/// concurrently.
public protocol MessageCoder: Sendable {
    /// Encodes a value.
    ///
    /// - Throws: An `EncodingError`, or any other error that the value's encoding throws.
    func encode<Value: Encodable>(_ value: Value) throws -> RawJSON

    /// Appends an encoded value to a buffer. If it throws, the buffer is unchanged.
    ///
    /// - Throws: An `EncodingError`, or any other error that the value's encoding throws.
    func encode<Value: Encodable>(_ value: Value, into bytes: inout [UInt8]) throws

    /// Decodes a value.
    ///
    /// - Throws: A `DecodingError`, or any other error that the type's decoding throws.
    func decode<Value: Decodable>(_ type: Value.Type, from json: RawJSON) throws -> Value
}

extension MessageCoder {
    public func encode<Value: Encodable>(_ value: Value, into bytes: inout [UInt8]) throws {
        bytes.append(contentsOf: try encode(value).bytes)
    }
}

/// The default coder. It uses WireJSON, and has strategies for dates, data and keys:
///
/// ```swift
/// var coder = WireJSONCoder()
/// coder.encoder.dateEncodingStrategy = .iso8601
/// coder.decoder.dateDecodingStrategy = .iso8601
/// configuration.coder = coder
/// ```
public struct WireJSONCoder: MessageCoder {
    private final class Pair: Sendable {
        let encoder: WireJSONEncoder
        let decoder: WireJSONDecoder

        init(_ encoder: WireJSONEncoder, _ decoder: WireJSONDecoder) {
            self.encoder = encoder
            self.decoder = decoder
        }
    }

    /// `nil` for default options. Then calls on several threads do not contend for a reference count.
    private var changed: Pair?

    private static let standardDecoder = WireJSONDecoder()

    /// Makes a coder with the defaults of Foundation's coders, except that slashes are not escaped.
    public init() {}

    /// The encoder. The default writes compact JSON and does not escape slashes.
    public var encoder: WireJSONEncoder {
        get { changed?.encoder ?? .plainSlashes }
        set { changed = Pair(newValue, decoder) }
    }

    /// The decoder. The default is `WireJSONDecoder()`.
    public var decoder: WireJSONDecoder {
        get { changed?.decoder ?? Self.standardDecoder }
        set { changed = Pair(encoder, newValue) }
    }

    public func encode<Value: Encodable>(_ value: Value) throws -> RawJSON {
        RawJSON(unchecked: try encoder.encode(value))
    }

    public func encode<Value: Encodable>(_ value: Value, into bytes: inout [UInt8]) throws {
        try encoder.encode(value, into: &bytes)
    }

    public func decode<Value: Decodable>(_ type: Value.Type, from json: RawJSON) throws -> Value {
        try decoder.decode(type, from: json)
    }
}

extension MessageCoder where Self == WireJSONCoder {
    /// WireJSON's coders with their default options.
    public static var wireJSON: WireJSONCoder { WireJSONCoder() }
}
