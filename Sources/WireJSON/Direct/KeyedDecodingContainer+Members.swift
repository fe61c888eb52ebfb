// swift-jsonrpc · SPDX-License-Identifier: MIT

// `Codable` reads an optional property with `decodeIfPresent`, and writes it with `encodeIfPresent`. The type of a property, which
// may be an alias, decides here as it does there.
extension KeyedDecodingContainer {
    /// Decodes the value of a member.
    public func decodeMember<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decode(type, forKey: key)
    }

    /// Decodes the value of a member, or `nil` if the member is missing or `null`.
    public func decodeMember<T: Decodable>(_ type: T?.Type, forKey key: Key) throws -> T? {
        try decodeIfPresent(T.self, forKey: key)
    }
}

extension KeyedEncodingContainer {
    /// Encodes the value of a member.
    public mutating func encodeMember<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    /// Encodes the value of a member, unless it has no value.
    public mutating func encodeMember<T: Encodable>(_ value: T?, forKey key: Key) throws {
        try encodeIfPresent(value, forKey: key)
    }
}
