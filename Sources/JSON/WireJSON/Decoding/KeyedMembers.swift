// swift-jsonrpc · SPDX-License-Identifier: MIT

@safe struct KeyedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// The memory belongs to the document's boxes, or to `owner`.
    private let place: UnsafeMutablePointer<KeyedPlace>
    /// It is `nil` in a box that the document keeps. Copies by the standard library then count no references.
    private let owner: PlaceOwner<KeyedPlace>?

    init(_ place: UnsafeMutablePointer<KeyedPlace>, owner: PlaceOwner<KeyedPlace>?) {
        unsafe self.place = unsafe place
        self.owner = owner
    }

    // The document outlives the place, as `KeyedPlace` explains.
    private var document: JSONDocument { unsafe place.pointee.document.takeUnretainedValue() }
    private var object: Int { unsafe place.pointee.object }

    @inline(__always)
    private func read<Value>(_ key: Key, _ body: (JSONDocument, Int) throws -> Value) throws -> Value {
        try unsafe place.pointee.document._withUnsafeGuaranteedRef { document in
            guard let value = unsafe document.value(of: key.stringValue, in: place.pointee.object) else {
                throw missing(key)
            }
            return try body(document, value)
        }
    }

    @inline(__always)
    private func readIfPresent<Value>(_ key: Key, _ body: (JSONDocument, Int) throws -> Value) throws -> Value? {
        try unsafe place.pointee.document._withUnsafeGuaranteedRef { document in
            guard let value = unsafe document.value(of: key.stringValue, in: place.pointee.object),
                document.entry(value).kind != .null
            else { return nil }
            return try body(document, value)
        }
    }

    var codingPath: [any CodingKey] { document.path(to: object) }

    var allKeys: [Key] {
        if document.options.values.convertsNames {
            return document.convertedNames(of: object).keys.compactMap { Key(stringValue: $0.text) }
        }
        document.check(object)
        let hasDuplicates = document.entry(object).flags.contains(.hasDuplicates)
        var seen: Set<NameBytes> = []
        var keys: [Key] = []
        var index = object + 1
        while index < document.entry(object).next {
            if let name = try? document.text.string(document.entry(index).content),
                !hasDuplicates || seen.insert(NameBytes(text: name)).inserted, let key = Key(stringValue: name)
            {
                keys.append(key)
            }
            index = Int(document.entry(index + 1).next)
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { document.value(of: key.stringValue, in: object) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try read(key) { $0.entry($1).kind == .null } }

    @inline(never)
    private func missing(_ key: Key) -> DecodingError {
        let place = document.place(of: object)
        return .keyNotFound(
            key,
            .init(
                codingPath: codingPath,
                debugDescription: "The object at \(place) has no member `\(key.stringValue)`."))
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try read(key) { try DocumentDecoder($0, at: $1).decode(type) }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try readIfPresent(key) { try DocumentDecoder($0, at: $1).decode(type) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try read(key) { try DocumentDecoder($0, at: $1).container(keyedBy: type) }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try read(key) { try DocumentDecoder($0, at: $1).unkeyedContainer() }
    }

    func superDecoder() throws -> any Decoder { superDecoder(AnyCodingKey.superKey) }

    func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(key) }

    /// A `super` decoder reads a missing member as `null`.
    private func superDecoder(_ key: any CodingKey) -> DocumentDecoder {
        let value = document.value(of: key.stringValue, in: object)
        return DocumentDecoder(document, at: value ?? document.null(at: codingPath + [key]))
    }
}

extension KeyedMembers {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try read(key) { try $0.bool(at: $1) } }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(key) { try $0.string(at: $1) } }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(key) { try $0.float(type, at: $1) } }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try read(key) { try $0.float(type, at: $1) } }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try read(key) { try $0.integer(type, at: $1) } }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try read(key) { try $0.integer(type, at: $1) } }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try read(key) { try $0.integer(type, at: $1) } }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try read(key) { try $0.integer(type, at: $1) } }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try read(key) { try $0.integer(type, at: $1) } }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try read(key) { try $0.integer(type, at: $1) } }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try read(key) { try $0.integer(type, at: $1) } }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try read(key) { try $0.integer(type, at: $1) }
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try read(key) { try $0.integer(type, at: $1) }
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try read(key) { try $0.integer(type, at: $1) }
    }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try read(key) { try $0.integer(type, at: $1) }
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try read(key) { try $0.integer(type, at: $1) }
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try readIfPresent(key) { try $0.bool(at: $1) }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try readIfPresent(key) { try $0.string(at: $1) }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try readIfPresent(key) { try $0.float(type, at: $1) }
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try readIfPresent(key) { try $0.float(type, at: $1) }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try readIfPresent(key) { try $0.integer(type, at: $1) }
    }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try readIfPresent(key) { try $0.integer(type, at: $1) }
    }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try readIfPresent(key) { try $0.integer(type, at: $1) }
    }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try readIfPresent(key) { try $0.integer(type, at: $1) }
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try readIfPresent(key) { try $0.integer(type, at: $1) }
    }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try readIfPresent(key) { try $0.integer(type, at: $1) }
    }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try readIfPresent(key) { try $0.integer(type, at: $1) }
    }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try readIfPresent(key) { try $0.integer(type, at: $1) }
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try readIfPresent(key) { try $0.integer(type, at: $1) }
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try readIfPresent(key) { try $0.integer(type, at: $1) }
    }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try readIfPresent(key) { try $0.integer(type, at: $1) }
    }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try readIfPresent(key) { try $0.integer(type, at: $1) }
    }
}

/// The document and the object that a keyed container reads.
@safe struct KeyedPlace {
    // The document owns the place in its boxes, or the owner of the place retains the document.
    let document: Unmanaged<JSONDocument>
    let object: Int
}

extension JSONDocument {
    @inline(__always)
    func container<Key: CodingKey>(keyedBy type: Key.Type, of object: Int) -> KeyedDecodingContainer<Key> {
        // `KeyedPlace` explains why the document is alive. The boxes retain the kept container.
        let place = unsafe KeyedPlace(document: Unmanaged.passUnretained(self), object: object)
        let kept: Unmanaged<KeptContainer<KeyedDecodingContainer<Key>>>? = unsafe boxes.container(
            for: ObjectIdentifier(type), at: place)
        guard let kept = unsafe kept else { return newContainer(place) }
        return unsafe kept._withUnsafeGuaranteedRef { $0.copy() }
    }

    @inline(never)
    private func newContainer<Key: CodingKey>(_ place: KeyedPlace) -> KeyedDecodingContainer<Key> {
        unsafe boxes.keep(for: ObjectIdentifier(Key.self), at: place) {
            unsafe KeyedDecodingContainer(KeyedMembers<Key>($0, owner: nil))
        } ?? ownedContainer(place)
    }

    /// Returns a container with its own box, which is not reused.
    private func ownedContainer<Key: CodingKey>(_ place: KeyedPlace) -> KeyedDecodingContainer<Key> {
        let owner = PlaceOwner(place, holder: self)
        return unsafe KeyedDecodingContainer(KeyedMembers<Key>(owner.place, owner: owner))
    }
}
