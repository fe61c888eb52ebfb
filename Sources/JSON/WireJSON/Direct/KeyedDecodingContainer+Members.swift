// swift-jsonrpc · SPDX-License-Identifier: MIT

// `Codable` reads an optional property with `decodeIfPresent`, and writes it with `encodeIfPresent`. These overloads
// choose by the type of the property as `Codable` does, also if the type is an alias.
extension KeyedDecodingContainer {
    /// Decodes the value of a member, and throws a `DecodingError` if the member is missing.
    public func decodeMember<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decode(type, forKey: key)
    }

    /// Decodes the value of a member, or `nil` if the member is missing or `null`.
    public func decodeMember<T: Decodable>(_ type: T?.Type, forKey key: Key) throws -> T? {
        try decodeIfPresent(T.self, forKey: key)
    }

    /// Decodes the value of a member, or returns the default if the member is missing or `null`.
    public func decodeMember<T: Decodable>(
        _ type: T.Type, forKey key: Key, default value: @autoclosure () -> T
    ) throws -> T {
        try decodeIfPresent(type, forKey: key) ?? value()
    }

    /// Decodes the value of a member, or `nil` if the member is missing or `null`. An optional needs no default.
    public func decodeMember<T: Decodable>(
        _ type: T?.Type, forKey key: Key, default value: @autoclosure () -> T?
    ) throws -> T? {
        try decodeIfPresent(T.self, forKey: key)
    }
}

extension JSONReader {
    /// Returns the value of a member, or the default if the member is missing or `null`.
    @inlinable @inline(__always)
    public static func member<T>(_ value: T?, default other: @autoclosure () -> T) -> T { value ?? other() }

    /// Returns the value of a member, or `nil` if the member is missing or `null`. An optional needs no default.
    @inlinable @inline(__always)
    public static func member<T>(_ value: T??, default other: @autoclosure () -> T?) -> T? { value ?? nil }
}

extension KeyedEncodingContainer {
    /// Encodes the value of a member.
    public mutating func encodeMember<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    /// Encodes the value of a member, unless the value is `nil`.
    public mutating func encodeMember<T: Encodable>(_ value: T?, forKey key: Key) throws {
        try encodeIfPresent(value, forKey: key)
    }
}
