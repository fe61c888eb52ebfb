// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The members of one object.
struct KeyedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let document: JSONDocument
    let object: Int

    var codingPath: [any CodingKey] { document.path(to: object) }

    var allKeys: [Key] {
        if document.options.convertsNames {
            return document.nameIndex(of: object).values.keys.compactMap { Key(stringValue: $0.text) }
        }
        var seen: Set<NameBytes> = []
        var keys: [Key] = []
        var index = object + 1
        while index < document.entry(object).next {
            if let name = try? StringContent.string(document.text, document.entry(index).content),
                seen.insert(NameBytes(text: name)).inserted, let key = Key(stringValue: name)
            {
                keys.append(key)
            }
            index = Int(document.entry(index + 1).next)
        }
        return keys
    }

    func contains(_ key: Key) -> Bool {
        document.value(of: key.stringValue, in: object) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        document.entry(try value(key)).kind == .null
    }

    @inline(__always)
    private func value(_ key: Key) throws -> Int {
        guard let value = document.value(of: key.stringValue, in: object) else { throw missing(key) }
        return value
    }

    /// The value's place, unless it is missing or null.
    @inline(__always)
    private func valueIfPresent(_ key: Key) -> Int? {
        guard let value = document.value(of: key.stringValue, in: object), document.entry(value).kind != .null
        else { return nil }
        return value
    }

    @inline(never)
    private func missing(_ key: Key) -> DecodingError {
        let place = document.place(of: object)
        return .keyNotFound(
            key,
            .init(
                codingPath: codingPath,
                debugDescription: "The object at \(place) has no member \"\(key.stringValue)\"."))
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try DocumentDecoder(document, at: try value(key)).decode(type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let value = valueIfPresent(key) else { return nil }
        return try DocumentDecoder(document, at: value).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try DocumentDecoder(document, at: try value(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try DocumentDecoder(document, at: try value(key)).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        superDecoder(AnyCodingKey.superKey)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        superDecoder(key)
    }

    /// A member that is not there is null to a super decoder.
    private func superDecoder(_ key: any CodingKey) -> DocumentDecoder {
        let value = document.value(of: key.stringValue, in: object)
        return DocumentDecoder(document, at: value ?? document.null(at: codingPath + [key]))
    }
}

extension KeyedMembers {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try document.bool(at: try value(key))
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try document.string(at: try value(key))
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try document.float(Double.self, at: try value(key))
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try document.float(Float.self, at: try value(key))
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try document.integer(Int.self, at: try value(key))
    }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try document.integer(Int8.self, at: try value(key))
    }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try document.integer(Int16.self, at: try value(key))
    }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try document.integer(Int32.self, at: try value(key))
    }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try document.integer(Int64.self, at: try value(key))
    }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try document.integer(UInt.self, at: try value(key))
    }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try document.integer(UInt8.self, at: try value(key))
    }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try document.integer(UInt16.self, at: try value(key))
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try document.integer(UInt32.self, at: try value(key))
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try document.integer(UInt64.self, at: try value(key))
    }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try document.integer(Int128.self, at: try value(key))
    }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try document.integer(UInt128.self, at: try value(key))
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.bool(at: value)
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.string(at: value)
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.float(Double.self, at: value)
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.float(Float.self, at: value)
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.integer(Int.self, at: value)
    }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.integer(Int8.self, at: value)
    }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.integer(Int16.self, at: value)
    }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.integer(Int32.self, at: value)
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.integer(Int64.self, at: value)
    }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.integer(UInt.self, at: value)
    }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.integer(UInt8.self, at: value)
    }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.integer(UInt16.self, at: value)
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.integer(UInt32.self, at: value)
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.integer(UInt64.self, at: value)
    }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.integer(Int128.self, at: value)
    }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        guard let value = valueIfPresent(key) else { return nil }
        return try document.integer(UInt128.self, at: value)
    }
}
