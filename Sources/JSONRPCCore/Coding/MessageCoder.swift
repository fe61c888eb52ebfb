// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// Encodes and decodes params and results.
///
/// The default of a client is ``WireJSONCoder``. A coder is used by any number of tasks at once.
public protocol MessageCoder: Sendable {
    /// Encodes a value.
    ///
    /// - Throws: an `EncodingError`, or the error of the value's own encoding.
    func encode<Value: Encodable>(_ value: Value) throws -> RawJSON

    /// Encodes a value at the end of a buffer. If it throws, the buffer is unchanged.
    ///
    /// - Throws: an `EncodingError`, or the error of the value's own encoding.
    func encode<Value: Encodable>(_ value: Value, into bytes: inout [UInt8]) throws

    /// Decodes a value.
    ///
    /// - Throws: a `DecodingError`, or the error of the type's own decoding.
    func decode<Value: Decodable>(_ type: Value.Type, from json: RawJSON) throws -> Value
}

extension MessageCoder {
    public func encode<Value: Encodable>(_ value: Value, into bytes: inout [UInt8]) throws {
        bytes.append(contentsOf: try encode(value).bytes)
    }
}

/// A coder that uses WireJSON. Strategies for dates, data and keys are properties of its encoder and decoder:
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

    /// Nil as long as nothing was changed: then there is nothing to count references of, which every call would do,
    /// from several threads.
    private var changed: Pair?

    private static let standardDecoder = WireJSONDecoder()

    /// Makes a coder with the defaults of Foundation's coders, except that slashes are not escaped.
    public init() {}

    /// The encoder. The default writes compact JSON and does not escape slashes.
    public var encoder: WireJSONEncoder {
        get { changed?.encoder ?? .plainSlashes }
        set { changed = Pair(newValue, decoder) }
    }

    /// The decoder.
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
    /// WireJSON's coders with their defaults.
    public static var wireJSON: WireJSONCoder { WireJSONCoder() }
}
