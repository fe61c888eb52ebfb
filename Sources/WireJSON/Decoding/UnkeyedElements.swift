// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The elements of one array.
struct UnkeyedElements: UnkeyedDecodingContainer {
    let document: JSONDocument
    /// The array's entry, the next element's, and how many elements came before it.
    private let array: UInt32
    private var next: UInt32
    private(set) var currentIndex = 0

    init(_ document: JSONDocument, at array: Int) {
        self.document = document
        self.array = UInt32(truncatingIfNeeded: array)
        next = UInt32(truncatingIfNeeded: array &+ 1)
    }

    var codingPath: [any CodingKey] { document.path(to: Int(array)) }

    @inline(__always)
    var isAtEnd: Bool { next >= document.entry(Int(array)).next }

    var count: Int? {
        document.childCount(of: Int(array))
    }

    /// The next element's place.
    @inline(__always)
    private func element<T>(_ type: T.Type) throws -> Int {
        if isAtEnd { throw atEnd(type) }
        return Int(next)
    }

    @inline(never)
    private func atEnd(_ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            .init(
                codingPath: codingPath + [AnyCodingKey(index: currentIndex)],
                debugDescription: "The array at \(document.place(of: Int(array))) has no more elements."))
    }

    @inline(__always)
    private mutating func advance() {
        next = document.entry(Int(next)).next
        currentIndex &+= 1
    }

    mutating func decodeNil() throws -> Bool {
        guard document.entry(try element(Never.self)).kind == .null else { return false }
        advance()
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try DocumentDecoder(document, at: element(type)).decode(type)
        advance()
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try DocumentDecoder(document, at: element(KeyedDecodingContainer<Nested>.self))
            .container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try DocumentDecoder(document, at: element((any UnkeyedDecodingContainer).self))
            .unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = DocumentDecoder(document, at: try element((any Decoder).self))
        advance()
        return decoder
    }
}

extension UnkeyedElements {
    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let value = try document.bool(at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: String.Type) throws -> String {
        let value = try document.string(at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: Double.Type) throws -> Double {
        let value = try document.float(Double.self, at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: Float.Type) throws -> Float {
        let value = try document.float(Float.self, at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: Int.Type) throws -> Int {
        let value = try document.integer(Int.self, at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        let value = try document.integer(Int8.self, at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        let value = try document.integer(Int16.self, at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        let value = try document.integer(Int32.self, at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        let value = try document.integer(Int64.self, at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: UInt.Type) throws -> UInt {
        let value = try document.integer(UInt.self, at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        let value = try document.integer(UInt8.self, at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        let value = try document.integer(UInt16.self, at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        let value = try document.integer(UInt32.self, at: element(type))
        advance()
        return value
    }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        let value = try document.integer(UInt64.self, at: element(type))
        advance()
        return value
    }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let value = try document.integer(Int128.self, at: element(type))
        advance()
        return value
    }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let value = try document.integer(UInt128.self, at: element(type))
        advance()
        return value
    }
}
