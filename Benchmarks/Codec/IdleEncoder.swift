// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Encodes without writing anything. What remains is what `Codable` takes whoever encodes.
struct IdleEncoder: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(IdleMembersOut<Key>())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { IdleElementsOut() }
    func singleValueContainer() -> any SingleValueEncodingContainer { IdleValueOut() }
}

private struct IdleMembersOut<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var codingPath: [any CodingKey] { [] }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        keep(key.stringValue)
        // A coder has ways of its own for these.
        if T.self == [Int].self || T.self == [String].self { return }
        try value.encode(to: IdleEncoder())
    }

    func encodeNil(forKey key: Key) { keep(key.stringValue) }
    func encode(_ value: Int, forKey key: Key) { keep(key.stringValue) }
    func encode(_ value: Bool, forKey key: Key) { keep(key.stringValue) }
    func encode(_ value: String, forKey key: Key) { keep(key.stringValue) }
    func encode(_ value: Double, forKey key: Key) { keep(key.stringValue) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(IdleMembersOut<Nested>()) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { IdleElementsOut() }
    func superEncoder() -> any Encoder { IdleEncoder() }
    func superEncoder(forKey key: Key) -> any Encoder { IdleEncoder() }
}

private struct IdleElementsOut: UnkeyedEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encode<T: Encodable>(_ value: T) throws { try value.encode(to: IdleEncoder()) }
    func encodeNil() {}

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(IdleMembersOut<Nested>())
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { IdleElementsOut() }
    func superEncoder() -> any Encoder { IdleEncoder() }
}

private struct IdleValueOut: SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }

    func encode<T: Encodable>(_ value: T) {}
    func encodeNil() {}
}
