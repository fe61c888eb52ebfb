// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// Turns a program's values into JSON, and JSON into values: params, results, and what handlers take and give.
///
/// A client has one: ``WireJSONCoder`` unless it is given another. It is used by any number of tasks at once.
public protocol MessageCoder: Sendable {
    /// Encodes a value.
    ///
    /// - Throws: an `EncodingError`, or what the value's own encoding throws.
    func encode<Value: Encodable>(_ value: Value) throws -> RawJSON

    /// Encodes a value at the end of a buffer. When it throws, what it appended is taken away.
    ///
    /// - Throws: an `EncodingError`, or what the value's own encoding throws.
    func encode<Value: Encodable>(_ value: Value, into bytes: inout [UInt8]) throws

    /// Decodes a value.
    ///
    /// - Throws: a `DecodingError`, or what the type's own decoding throws.
    func decode<Value: Decodable>(_ type: Value.Type, from json: RawJSON) throws -> Value
}

extension MessageCoder {
    public func encode<Value: Encodable>(_ value: Value, into bytes: inout [UInt8]) throws {
        bytes.append(contentsOf: try encode(value).bytes)
    }
}

/// Encodes and decodes with WireJSON, with strategies for dates, data and keys where they are wanted:
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

    /// Makes a coder with the defaults of Foundation's coders, but for slashes, which are not escaped.
    public init() {}

    /// Writes compact JSON, slashes as they are, unless it is told otherwise.
    public var encoder: WireJSONEncoder {
        get { changed?.encoder ?? .plainSlashes }
        set { changed = Pair(newValue, decoder) }
    }

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
    /// WireJSON's coders as they are.
    public static var wireJSON: WireJSONCoder { WireJSONCoder() }
}
