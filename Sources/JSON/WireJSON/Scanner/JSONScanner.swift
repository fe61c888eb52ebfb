// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A strict reader of RFC 8259 over bytes. The decoder, the values and other readers of this package use it.
///
/// Methods compare with ``end`` before they read a byte. Methods that are inlined into other modules advance
/// ``position``. The others take and return positions, so a loop can keep its scanner in registers.
@safe @usableFromInline package struct JSONScanner {
    /// The text. Only offsets below ``end`` may be read.
    @usableFromInline package let bytes: UnsafePointer<UInt8>
    /// The number of bytes in the text.
    @usableFromInline package let end: Int
    /// The offset of the next byte to read.
    @usableFromInline package var position = 0
    /// The maximum nesting depth of arrays and objects.
    @usableFromInline package var maximumDepth: Int

    /// Creates a scanner, or returns `nil` if there are no bytes. The memory must outlive the scanner.
    @unsafe @inlinable @inline(__always)
    package init?(_ buffer: UnsafeRawBufferPointer, limits: JSONLimits) {
        guard let base = buffer.baseAddress, unsafe !buffer.isEmpty else { return nil }
        unsafe bytes = base.assumingMemoryBound(to: UInt8.self)
        end = buffer.count
        maximumDepth = limits.maximumDepth
    }

    @inlinable @inline(__always)
    package var isAtEnd: Bool { position >= end }

    /// Returns a fault at the position: the given one, or an unexpected end if the text ends there.
    @inlinable @inline(__always)
    package func fault(_ reason: JSONSyntaxError.Reason.Code) -> ScanFault {
        ScanFault(isAtEnd ? .unexpectedEnd : reason, at: position)
    }

    @inlinable @inline(__always)
    package mutating func skipWhitespace() {
        guard position < end, unsafe bytes[position] <= 0x20 else { return }
        if unsafe bytes[position] == 0x20, end &- position > 1, unsafe bytes[position &+ 1] > 0x20 {
            position &+= 1
        } else {
            position = unsafe Self.endOfIndent(bytes, position, end)
        }
    }

    /// Skips long runs of spaces, as in indented text, a word at a time.
    @usableFromInline @inline(never)
    @unsafe static func endOfIndent(_ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
        var index = start
        while index < end {
            guard isWhitespace(unsafe bytes[index]) else { return index }
            index &+= 1
            while end &- index >= 8 {
                let others = unsafe SWAR.load(bytes + index) ^ SWAR.filled(0x20)
                if others != 0 {
                    index &+= others.trailingZeroBitCount &>> 3
                    if unsafe bytes[index] > 0x20 { return index }
                    break
                }
                index &+= 8
            }
        }
        return index
    }

    @inline(__always)
    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Reads the next byte if it is `byte`.
    @inlinable @inline(__always)
    package mutating func take(_ byte: UInt8) -> Bool {
        guard position < end, unsafe bytes[position] == byte else { return false }
        position &+= 1
        return true
    }

    /// Moves to the first byte of the text's value.
    @inlinable @inline(__always)
    package mutating func beginText() throws(ScanFault) {
        if end >= 3, unsafe bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF {
            throw ScanFault(.byteOrderMark, at: 0)
        }
        skipWhitespace()
        if isAtEnd { throw ScanFault(.emptyText, at: 0) }
    }

    /// Checks that only white space follows the text's value.
    @inlinable @inline(__always)
    package mutating func endText() throws(ScanFault) {
        skipWhitespace()
        if !isAtEnd { throw ScanFault(.trailingContent, at: position) }
    }

    /// Reads a member's name and colon, with white space. The position is then at the value.
    @inlinable @inline(__always)
    package mutating func scanMemberName() throws(ScanFault) -> ScannedString {
        guard take(UInt8(ascii: "\"")) else { throw fault(.expectedMemberName) }
        let start = position
        let isEscaped = try scanString()
        let name = ScannedString(from: start, quotedTo: position, isEscaped: isEscaped)
        if position < end, unsafe bytes[position] == UInt8(ascii: ":") {
            position &+= 1
        } else {
            skipWhitespace()
            guard take(UInt8(ascii: ":")) else { throw fault(.expectedColon) }
        }
        skipWhitespace()
        return name
    }

    @inlinable @inline(__always)
    package mutating func skipScalar() throws(ScanFault) {
        guard position < end else { throw ScanFault(.unexpectedEnd, at: end) }
        switch unsafe bytes[position] {
        case UInt8(ascii: "\""):
            position &+= 1
            _ = try scanString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            _ = try scanNumber()
        default:
            try scanLiteral()
        }
    }

    @inlinable @inline(__always)
    package mutating func scanLiteral() throws(ScanFault) {
        if end &- position >= 5 {
            // The four bytes after the "f" are compared with "alse".
            let first = unsafe SWAR.loadHalf(bytes + position)
            if first == 0x6C6C_756E || first == 0x6575_7274 {
                position &+= 4
                return
            }
            let second = unsafe SWAR.loadHalf(bytes + position + 1)
            if second == 0x6573_6C61, unsafe bytes[position] == UInt8(ascii: "f") {
                position &+= 5
                return
            }
        }
        position = try endOfLiteral(at: position)
    }

    /// Reads a literal in the last four bytes of the text, and finds the fault in an invalid literal.
    @usableFromInline @inline(never)
    func endOfLiteral(at start: Int) throws(ScanFault) -> Int {
        guard start < end else { throw ScanFault(.unexpectedEnd, at: end) }
        switch unsafe bytes[start] {
        case UInt8(ascii: "t"): return try endOfWord("true", at: start)
        case UInt8(ascii: "f"): return try endOfWord("false", at: start)
        case UInt8(ascii: "n"): return try endOfWord("null", at: start)
        default: throw ScanFault(.expectedValue, at: start)
        }
    }

    private func endOfWord(_ word: String, at start: Int) throws(ScanFault) -> Int {
        var index = start
        for byte in word.utf8 {
            guard index < end else { throw ScanFault(.unexpectedEnd, at: end) }
            guard unsafe bytes[index] == byte else { throw ScanFault(.invalidLiteral, at: start) }
            index += 1
        }
        return index
    }
}

extension JSONScanner {
    /// Reads bytes with a function. A fault gets its line and column. No bytes at all are an empty text.
    @inline(__always)
    static func read<Value>(
        _ bytes: ArraySlice<UInt8>, limits: JSONLimits, _ body: (inout JSONScanner) throws(ScanFault) -> Value
    ) throws(JSONSyntaxError) -> Value {
        let result = unsafe bytes.withUnsafeBytes { text -> Result<Value, JSONSyntaxError> in
            guard var scanner = unsafe JSONScanner(text, limits: limits) else {
                return unsafe .failure(JSONSyntaxError(.emptyText, at: 0, in: text))
            }
            do throws(ScanFault) {
                return .success(try body(&scanner))
            } catch {
                return unsafe .failure(JSONSyntaxError(error, in: text))
            }
        }
        return try result.get()
    }
}

/// A string in a text: the range of its content, without the quotes.
@usableFromInline package struct ScannedString {
    @usableFromInline package var range: Range<Int>
    @usableFromInline package var isEscaped: Bool

    @inlinable @inline(__always)
    package init(range: Range<Int>, isEscaped: Bool) {
        self.range = range
        self.isEscaped = isEscaped
    }

    /// A string whose closing quote ends at `end`.
    @inlinable @inline(__always)
    package init(from start: Int, quotedTo end: Int, isEscaped: Bool) {
        // The closing quote comes after the start.
        range = unsafe Range(uncheckedBounds: (start, end &- 1))
        self.isEscaped = isEscaped
    }
}

extension JSONScanner {
    /// Returns the bytes of a range. It traps if the range is outside of the text, which only a bug in this module
    /// could cause. The memory must outlive the result.
    @inline(__always)
    @unsafe func utf8(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        precondition(range.lowerBound >= 0 && range.upperBound <= end)
        return unsafe UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
    }

    @inline(__always)
    func string(_ content: ScannedString) throws(ScanFault) -> String {
        precondition(content.range.lowerBound >= 0 && content.range.upperBound <= end)
        return try unsafe StringContent.string(bytes, content)
    }

    /// Returns whether a member's name equals `name`.
    func isName(_ content: ScannedString, _ name: StaticString) -> Bool {
        if content.isEscaped { return (try? string(content)) == "\(name)" }
        guard content.range.count == name.utf8CodeUnitCount else { return false }
        let text = unsafe utf8(content.range)
        return name.withUTF8Buffer { unsafe $0.elementsEqual(text) }
    }

    /// Returns a part of the text unchanged.
    func text(_ range: Range<Int>) -> String { unsafe String(decoding: utf8(range), as: UTF8.self) }

    /// Returns an integer's value, or `nil` if `Int64` cannot represent it, or if it is `-0`.
    package func integer(in range: Range<Int>) -> Int64? { integer(range, as: Int64.self) }

    /// Returns an integer's value, or `nil` if the type cannot represent it, or if it is `-0`.
    @inline(__always)
    func integer<T: FixedWidthInteger>(_ range: Range<Int>, as type: T.Type) -> T? {
        precondition(range.lowerBound >= 0 && range.upperBound <= end)
        return unsafe IntegerText.value(bytes, range, as: type)
    }

    /// Returns the `Double` nearest to a number.
    @inline(__always)
    func double(_ range: Range<Int>) -> Double {
        precondition(range.lowerBound >= 0 && range.upperBound <= end)
        return unsafe DoubleText.value(bytes, range)
    }

    /// Returns a number's exact value.
    func number(_ range: Range<Int>, isInteger: Bool) -> JSONNumber {
        precondition(range.lowerBound >= 0 && range.upperBound <= end)
        return unsafe JSONNumber(bytes, range, isInteger: isInteger)
    }
}
