// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials
public import WireJSON

/// A coder that uses Foundation's coders, for programs that depend on their exact behaviour. It is many times slower
/// than ``WireJSONCoder``.
public struct FoundationCoder: MessageCoder {
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder
    private let limits: JSONLimits

    /// Makes a coder. Do not change the encoder and the decoder while the coder is in use.
    ///
    /// - Parameters:
    ///   - encoder: Encodes params and results.
    ///   - decoder: Decodes params and results.
    ///   - limits: The maximum nesting of the JSON that the encoder writes.
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
    /// Foundation's coders with their default options.
    public static var foundation: FoundationCoder { FoundationCoder() }
}
