// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Decodes one value of a document. The same value can be decoded any number of times.
struct DocumentDecoder: Decoder {
    let document: JSONDocument
    let index: Int

    @inline(__always)
    init(_ document: JSONDocument, at index: Int) {
        self.document = document
        self.index = index
    }

    var codingPath: [any CodingKey] { document.path(to: index) }

    var userInfo: [CodingUserInfoKey: Any] { document.options.values.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard document.entry(index).kind == .object else {
            throw document.mismatch("an object", [String: Any].self, at: index)
        }
        return document.container(keyedBy: type, of: index)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard document.entry(index).kind == .array else { throw document.mismatch("an array", [Any].self, at: index) }
        return UnkeyedElements(document, at: index)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension DocumentDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { document.entry(index).kind == .null }

    func decode(_ type: Bool.Type) throws -> Bool { try document.bool(at: index) }
    func decode(_ type: String.Type) throws -> String { try document.string(at: index) }
    func decode<T: BinaryFloatingPoint & Decodable>(_ type: T.Type) throws -> T { try document.float(type, at: index) }
    // The requirements of all integer types up to 64 bits. Those of 128 bits have defaults, which throw and would win.
    func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T { try document.integer(type, at: index) }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    func decode(_ type: Int128.Type) throws -> Int128 { try document.integer(Int128.self, at: index) }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    func decode(_ type: UInt128.Type) throws -> UInt128 { try document.integer(UInt128.self, at: index) }
}
