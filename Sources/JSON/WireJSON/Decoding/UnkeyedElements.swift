// swift-jsonrpc · SPDX-License-Identifier: MIT

struct UnkeyedElements: UnkeyedDecodingContainer {
    let document: JSONDocument
    /// The entries of the array and of the next element, and the number of elements before that element.
    private let array: UInt32
    private var nextElement: UInt32
    private(set) var currentIndex = 0

    init(_ document: JSONDocument, at array: Int) {
        self.document = document
        self.array = UInt32(truncatingIfNeeded: array)
        nextElement = UInt32(truncatingIfNeeded: array &+ 1)
    }

    var codingPath: [any CodingKey] { document.path(to: Int(array)) }

    @inline(__always)
    var isAtEnd: Bool { nextElement >= document.entry(Int(array)).next }

    var count: Int? { document.childCount(of: Int(array)) }

    @inline(__always)
    private func element<T>(_ type: T.Type) throws -> Int {
        if isAtEnd { throw atEnd(type) }
        return Int(nextElement)
    }

    @inline(never)
    private func atEnd(_ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            .init(
                codingPath: codingPath + [AnyCodingKey(index: currentIndex)],
                debugDescription: "The array at \(document.place(of: Int(array))) has no element \(currentIndex)."))
    }

    @inline(__always)
    private mutating func advance() {
        nextElement = document.entry(Int(nextElement)).next
        currentIndex &+= 1
    }

    /// Reads the next element. The position only advances if reading succeeds.
    @inline(__always)
    private mutating func next<T>(_ read: (JSONDocument, Int) throws -> T) throws -> T {
        let value = try read(document, element(T.self))
        advance()
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard document.entry(try element(Never.self)).kind == .null else { return false }
        advance()
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try next { try DocumentDecoder($0, at: $1).decode(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next { try DocumentDecoder($0, at: $1).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try DocumentDecoder($0, at: $1).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        try next { document, element -> any Decoder in DocumentDecoder(document, at: element) }
    }
}

extension UnkeyedElements {
    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.bool(at: $1) } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.string(at: $1) } }
    mutating func decode<T: BinaryFloatingPoint & Decodable>(_ type: T.Type) throws -> T {
        try next { try $0.float(type, at: $1) }
    }
    // These cover the requirements for all integer types up to 64 bits. Those for 128 bits have default
    // implementations, which throw and would be chosen instead.
    mutating func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
        try next { try $0.integer(type, at: $1) }
    }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try next { try $0.integer(Int128.self, at: $1) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next { try $0.integer(UInt128.self, at: $1) } }
}
