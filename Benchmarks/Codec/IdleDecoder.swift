// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Decodes without a text: every value is known. What remains is what `Codable` takes whoever decodes: the generated
/// code, the standard library's containers, and the value itself.
struct IdleDecoder: Decoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(IdleMembers<Key>())
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { IdleElements() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NoSuchValue() }
}

/// Thrown for what the measured types do not ask for.
struct NoSuchValue: Error {}

private struct IdleMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        // The types are the same; a cast would take longer than all the rest.
        if type == [Int].self { return unsafeBitCast([1, 2, 3], to: type) }
        if type == [String].self { return unsafeBitCast(["red", "green"], to: type) }
        return try T(from: IdleDecoder())
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try T(from: IdleDecoder()) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { value("abc", key) }
    func decode(_ type: Int.Type, forKey key: Key) -> Int { value(1, key) }
    func decode(_ type: Bool.Type, forKey key: Key) -> Bool { value(true, key) }
    func decode(_ type: String.Type, forKey key: Key) -> String { value("abc", key) }
    func decode(_ type: Double.Type, forKey key: Key) -> Double { value(2.5, key) }

    /// Whoever decodes asks the key for its name.
    private func value<T>(_ value: T, _ key: Key) -> T {
        keep(key.stringValue)
        return value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw NoSuchValue() }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw NoSuchValue() }
    func superDecoder() throws -> any Decoder { throw NoSuchValue() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw NoSuchValue() }
}

/// As many as a `Page` has items.
private struct IdleElements: UnkeyedDecodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int? { 12 }
    var isAtEnd: Bool { currentIndex >= 12 }
    var currentIndex = 0

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        currentIndex += 1
        return try T(from: IdleDecoder())
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { throw NoSuchValue() }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoSuchValue() }
    mutating func superDecoder() throws -> any Decoder { throw NoSuchValue() }
}
