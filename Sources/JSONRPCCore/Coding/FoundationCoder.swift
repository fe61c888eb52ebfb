// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import WireJSON

/// Encodes and decodes with Foundation's coders, for a program that depends on just what they do. They are many times
/// slower than ``WireJSONCoder``.
public struct FoundationCoder: MessageCoder {
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder
    private let limits: JSONLimits

    /// Makes a coder. The encoder and the decoder must not be changed any more once it is in use.
    ///
    /// - Parameters:
    ///   - encoder: writes.
    ///   - decoder: reads.
    ///   - limits: how deeply what the encoder writes may nest.
    public init(
        encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder(), limits: JSONLimits = JSONLimits()
    ) {
        self.encoder = encoder
        self.decoder = decoder
        self.limits = limits
    }

    public func encode<Value: Encodable>(_ value: Value) throws -> RawJSON {
        if let json = value as? RawJSON { return json }
        if let json = value as? JSONValue { return RawJSON(json) }
        return try RawJSON(validating: Array(try encoder.encode(value)), limits: limits)
    }

    public func decode<Value: Decodable>(_ type: Value.Type, from json: RawJSON) throws -> Value {
        if let value = json as? Value { return value }
        if type == JSONValue.self, let value = try JSONValue(json) as? Value { return value }
        return try decoder.decode(type, from: Data(json.bytes))
    }
}

extension MessageCoder where Self == FoundationCoder {
    /// Foundation's coders as they are.
    public static var foundation: FoundationCoder { FoundationCoder() }
}
