// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Reads one value of a text, byte by byte, for types that are ``JSONReadable``.
///
/// A reader validates the text as strictly as the decoder does. It does not report errors: if it cannot read something,
/// it throws ``JSONFallback``, and `Codable` decodes the value.
@safe public struct JSONReader: ~Copyable {
    /// The text and the position. A reader never outlives the call that it was made for, and the text does not change.
    @usableFromInline var scanner: JSONScanner
    /// The number of arrays and objects that may still be opened.
    var depth: Int
    // The caller of the initializer must keep the document alive while the reader is in use.
    private let run: Unmanaged<JSONDocument>
    /// The document with the decoder's options and the array that stores the text.
    var document: JSONDocument { unsafe run.takeUnretainedValue() }
    /// The value of `document` at which the reading began, if the document has a tape.
    let base: Int

    /// Creates a reader of a document's text. The document must outlive the reader.
    init(_ scanner: JSONScanner, depth: Int, of document: JSONDocument, base: Int) {
        self.scanner = scanner
        self.depth = depth
        unsafe run = Unmanaged.passUnretained(document)
        self.base = base
    }

    /// The position among the members of an object that is being read.
    public struct Members {
        @usableFromInline var expected = 0
        @usableFromInline var isFirst = true
        /// Whether the names are those of an enumeration's cases.
        @usableFromInline var areCases = false

        @usableFromInline init() {}
    }

    /// Whether only white space follows.
    mutating func isAtEndOfText() -> Bool { (try? scanner.endText()) != nil }

    // MARK: Objects

    /// Begins an object, and throws ``JSONFallback`` if the next value is not an object or is nested too deep.
    public mutating func beginObject() throws(JSONFallback) -> Members {
        try open(UInt8(ascii: "{"))
        return Members()
    }

    /// Begins the object of an enumeration's case, which has one member with the name of a case.
    public mutating func beginCase() throws(JSONFallback) -> Members {
        var members = try beginObject()
        members.areCases = true
        return members
    }

    /// Moves to the value of the next member with a known name, and returns the name's number. Other members are
    /// skipped. At the end of the object, it moves past the object and returns `nil`.
    public mutating func next(_ names: JSONMemberNames, _ members: inout Members) throws(JSONFallback) -> Int? {
        while try nextMember(&members) {
            let length = unsafe names.match(
                members.expected, scanner.bytes + scanner.position, available: scanner.end &- scanner.position)
            if length > 0 {
                scanner.position &+= length
                scanner.skipWhitespace()
                members.expected &+= 1
                return members.expected &- 1
            }
            if let index = try find(names, members) {
                members.expected = index &+ 1
                return index
            }
            try skip()
        }
        return nil
    }

    /// Moves to the next member's value, and returns its name. At the end, it moves past the object and returns `nil`.
    public mutating func nextName(_ members: inout Members) throws(JSONFallback) -> String? {
        guard try nextMember(&members) else { return nil }
        guard let content = try? scanner.scanMemberName(), let name = try? scanner.string(content) else {
            throw JSONFallback()
        }
        return name
    }

    /// Moves to the name of the next member. At the end, it moves past the object and returns false.
    @inline(__always)
    private mutating func nextMember(_ members: inout Members) throws(JSONFallback) -> Bool {
        guard members.isFirst else { return try moveOn(orEndAt: UInt8(ascii: "}")) }
        members.isFirst = false
        return !end(at: UInt8(ascii: "}"))
    }

    @inline(never)
    private mutating func find(_ names: JSONMemberNames, _ members: Members) throws(JSONFallback) -> Int? {
        guard let name = try? scanner.scanMemberName() else { throw JSONFallback() }
        if !name.isEscaped {
            let index = unsafe names.find(scanner.utf8(name.range), expected: members.expected)
            if index != nil || !members.areCases { return index }
        }
        guard let text = try? scanner.string(name) else { return nil }
        let index = unsafe text.withContiguousUTF8 { unsafe names.find($0, expected: members.expected) }
        // `Codable` compares the names of cases as Swift strings, which can be equal although their bytes differ.
        if index == nil, members.areCases, names.hasEquivalent(of: text) { throw JSONFallback() }
        return index
    }

    /// Reads an object and skips its members.
    public mutating func skipObject() throws(JSONFallback) {
        guard scanner.position < scanner.end, unsafe scanner.bytes[scanner.position] == UInt8(ascii: "{") else {
            throw JSONFallback()
        }
        try skip()
    }

    // MARK: Arrays

    /// Begins an array. If the array is empty, it moves past the array and returns false.
    public mutating func beginArray() throws(JSONFallback) -> Bool {
        try open(UInt8(ascii: "["))
        return !end(at: UInt8(ascii: "]"))
    }

    /// Moves to the next element. At the end, it moves past the array and returns false.
    public mutating func nextElement() throws(JSONFallback) -> Bool { try moveOn(orEndAt: UInt8(ascii: "]")) }

    // MARK: Brackets

    @inline(__always)
    private mutating func open(_ bracket: UInt8) throws(JSONFallback) {
        guard depth > 0, scanner.take(bracket) else { throw JSONFallback() }
        depth &-= 1
        scanner.skipWhitespace()
    }

    /// Ends a container if the next byte is its closing bracket.
    @inline(__always)
    private mutating func end(at bracket: UInt8) -> Bool {
        guard scanner.take(bracket) else { return false }
        depth &+= 1
        return true
    }

    /// Moves to the next member or element. At the end, it moves past the container and returns false.
    @inline(__always)
    private mutating func moveOn(orEndAt bracket: UInt8) throws(JSONFallback) -> Bool {
        scanner.skipWhitespace()
        if scanner.take(UInt8(ascii: ",")) {
            scanner.skipWhitespace()
            return true
        }
        guard end(at: bracket) else { throw JSONFallback() }
        return false
    }

    // MARK: Values

    /// Reads a value of a type that is ``JSONReadable``.
    @inlinable @inline(__always)
    public mutating func read<T: JSONReadable>(_ type: T.Type = T.self) throws(JSONFallback) -> T {
        try T(reading: &self)
    }

    /// Reads a value of any other type through its `init(from:)`.
    @_disfavoredOverload
    public mutating func read<T: Decodable>(_ type: T.Type = T.self) throws(JSONFallback) -> T {
        try decode(type)
    }

    /// Validates and skips a value.
    public mutating func skip() throws(JSONFallback) {
        let around = scanner.maximumDepth &- depth
        guard (try? scanner.skipValue(depth: around)) != nil else { throw JSONFallback() }
    }

    /// Reads `null`. It returns false if the next value is not `null`.
    public mutating func readNull() -> Bool {
        guard scanner.end &- scanner.position >= 4,
            unsafe SWAR.loadHalf(scanner.bytes + scanner.position) == 0x6C6C_756E
        else { return false }
        scanner.position &+= 4
        return true
    }

    mutating func readBool() throws(JSONFallback) -> Bool {
        guard let value = scanner.plainBool() else { throw JSONFallback() }
        return value
    }

    mutating func readString() throws(JSONFallback) -> String {
        guard let value = scanner.plainString() else { throw JSONFallback() }
        return value
    }

    /// Reads a string that is one of the given texts, and returns the text's number.
    public mutating func readString(of texts: JSONMemberNames) throws(JSONFallback) -> Int {
        guard let content = scanner.plainContent() else { throw JSONFallback() }
        let index: Int?
        if content.isEscaped {
            index = unsafe (try? scanner.string(content))?.withContiguousUTF8 { unsafe texts.find($0, expected: 0) }
        } else {
            index = unsafe texts.find(scanner.utf8(content.range), expected: 0)
        }
        guard let index else { throw JSONFallback() }
        return index
    }

    /// Reads an integer of at most 18 digits. It returns `nil` for other numbers, which ``decode(_:)`` reads.
    @usableFromInline @inline(__always)
    mutating func readDigits() -> Int64? {
        var index = scanner.position
        let end = scanner.end
        guard index < end else { return nil }
        let isNegative = unsafe scanner.bytes[index] == UInt8(ascii: "-")
        if isNegative { index &+= 1 }
        let start = index
        var value: Int64 = 0
        while index < end {
            let digit = unsafe scanner.bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ Int64(truncatingIfNeeded: digit)
            index &+= 1
        }
        let length = index &- start
        guard length > 0, length <= 18, unsafe length == 1 || scanner.bytes[start] != UInt8(ascii: "0"),
            !isNegative || value != 0
        else { return nil }
        if index < end {
            let next = unsafe scanner.bytes[index]
            if next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e") { return nil }
        }
        scanner.position = index
        return isNegative ? 0 &- value : value
    }

    mutating func readDouble() throws(JSONFallback) -> Double {
        if let value = readShortDecimal() { return value }
        let start = scanner.position
        if let value = scanner.plainDouble() { return value }
        scanner.position = start
        return try decode(Double.self)
    }

    /// Reads a number of at most 15 digits without an exponent, in one pass. Its digits and the power of ten are exact
    /// in a `Double`, so one division gives the nearest value. It returns `nil` for other numbers.
    @inline(__always)
    private mutating func readShortDecimal() -> Double? {
        var index = scanner.position
        let end = scanner.end
        guard index < end else { return nil }
        let isNegative = unsafe scanner.bytes[index] == UInt8(ascii: "-")
        if isNegative { index &+= 1 }
        let start = index
        var digits: Int64 = 0
        while index < end {
            let digit = unsafe scanner.bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            digits = digits &* 10 &+ Int64(truncatingIfNeeded: digit)
            index &+= 1
        }
        let whole = index &- start
        guard whole > 0, unsafe whole == 1 || scanner.bytes[start] != UInt8(ascii: "0"), index < end else { return nil }
        var fraction = 0
        if unsafe scanner.bytes[index] == UInt8(ascii: ".") {
            index &+= 1
            let first = index
            while index < end {
                let digit = unsafe scanner.bytes[index] &- UInt8(ascii: "0")
                guard digit < 10 else { break }
                digits = digits &* 10 &+ Int64(truncatingIfNeeded: digit)
                index &+= 1
            }
            fraction = index &- first
            guard fraction > 0, index < end else { return nil }
        }
        guard whole &+ fraction <= 15, unsafe scanner.bytes[index] | 0x20 != UInt8(ascii: "e") else { return nil }
        scanner.position = index
        let magnitude = Double(digits) / DoubleText.smallPower(fraction)
        return isNegative ? -magnitude : magnitude
    }

    mutating func readRaw() throws(JSONFallback) -> RawJSON {
        if readNull() { return .null }
        let start = scanner.position
        try skip()
        return document.bytes(in: start..<scanner.position)
    }

    mutating func readValue() throws(JSONFallback) -> JSONValue {
        let limit = scanner.maximumDepth
        defer { scanner.maximumDepth = limit }
        scanner.maximumDepth = depth
        guard let value = try? scanner.readValue() as JSONValue else { throw JSONFallback() }
        return value
    }

    /// Reads a value through its type's `init(from:)`, from a tape of only this value.
    @usableFromInline @inline(never)
    mutating func decode<T: Decodable>(_ type: T.Type) throws(JSONFallback) -> T {
        guard let part = JSONDocument.take(partOf: self) else { throw JSONFallback() }
        let root = part.entry(0)
        let value = try? DocumentDecoder(part, at: 0).decode(type)
        // The limit applies to all levels together. A limit per part would allow more paths, the more parts there are.
        let paths = part.rare.partPaths
        if paths > 0 { document.rare.partPaths += paths }
        // A value that keeps its decoder keeps a copy of the text. With `Codable` alone, such values share one copy.
        let isKept = JSONDocument.end(consume part)
        guard let value, !isKept else { throw JSONFallback() }
        scanner.position = Int(root.offset) &+ Int(root.length) &+ (root.kind == .string ? 1 : 0)
        return value
    }
}
