// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONScanner {
    /// Reads a string's content and its closing quote. The position must be just after the opening quote.
    ///
    /// - Returns: Whether the content has escapes.
    @inlinable @inline(__always)
    package mutating func scanString() throws(ScanFault) -> Bool {
        var index = position
        while end &- index >= 8 {
            let stops = unsafe SWAR.stringStops(SWAR.load(bytes + index))
            if stops == 0 {
                index &+= 8
                continue
            }
            index &+= stops.trailingZeroBitCount &>> 3
            guard unsafe bytes[index] == UInt8(ascii: "\"") else { break }
            position = index &+ 1
            return false
        }
        let string = try endOfString(from: index)
        position = string.end
        return string.isEscaped
    }

    /// The general case: escapes, non-ASCII characters, and the last seven bytes of the text.
    @usableFromInline @inline(never)
    func endOfString(from start: Int) throws(ScanFault) -> (end: Int, isEscaped: Bool) {
        var index = start
        var isEscaped = false
        while index < end {
            switch unsafe bytes[index] {
            case UInt8(ascii: "\""):
                return (index + 1, isEscaped)
            case UInt8(ascii: "\\"):
                isEscaped = true
                index = try endOfEscape(at: index)
            case 0..<0x20:
                throw ScanFault(.controlCharacter, at: index)
            case 0x80...:
                index = try endOfMultibyteCharacters(at: index)
                continue
            default:
                index += 1
            }
            while end - index >= 8 {
                let stops = unsafe SWAR.stringStops(SWAR.load(bytes + index))
                if stops != 0 {
                    index += stops.trailingZeroBitCount &>> 3
                    break
                }
                index += 8
            }
        }
        throw ScanFault(.unexpectedEnd, at: end)
    }

    /// Reads an escape (RFC 8259 §7). Only the digits of a `\u` escape are checked: a lone surrogate is JSON.
    @inline(__always)
    private func endOfEscape(at index: Int) throws(ScanFault) -> Int {
        guard index + 1 < end else { throw ScanFault(.unexpectedEnd, at: end) }
        switch unsafe bytes[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return index + 2
        case UInt8(ascii: "u"):
            for digit in (index + 2)..<(index + 6) {
                guard digit < end else { throw ScanFault(.unexpectedEnd, at: end) }
                guard HexDigit.value(unsafe bytes[digit]) != nil else { throw ScanFault(.invalidEscape, at: index) }
            }
            return index + 6
        default:
            throw ScanFault(.invalidEscape, at: index)
        }
    }

    /// Reads one non-ASCII character, and the characters of three bytes directly after it.
    @inline(__always)
    private func endOfMultibyteCharacters(at start: Int) throws(ScanFault) -> Int {
        var index = start
        while end &- index >= 4, SWAR.beginsWithThreeByteCharacter(unsafe SWAR.loadHalf(bytes + index)) { index &+= 3 }
        if index > start { return index }
        let length = unsafe UTF8Validation.length(ofCharacterAt: bytes + index, available: end - index)
        guard length > 0 else { throw ScanFault(.invalidUTF8, at: index) }
        return index + length
    }
}

enum HexDigit {
    @inline(__always)
    static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte &- UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte &- UInt8(ascii: "a") &+ 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte &- UInt8(ascii: "A") &+ 10)
        default: nil
        }
    }
}

/// UTF-8 as RFC 3629 §4 defines it: shortest forms only, no surrogates, nothing above U+10FFFF.
enum UTF8Validation {
    /// Returns the length of the character of two to four bytes that begins at a pointer, or 0 if there is none.
    ///
    /// - Parameter available: the number of bytes that may be read, at least one.
    @inline(__always)
    @unsafe static func length(ofCharacterAt pointer: UnsafePointer<UInt8>, available: Int) -> Int {
        switch unsafe pointer[0] {
        case 0xC2...0xDF:
            return unsafe available >= 2 && isContinuation(pointer[1]) ? 2 : 0
        case 0xE0...0xEF:
            guard available >= 3, unsafe isContinuation(pointer[1]) && isContinuation(pointer[2]) else { return 0 }
            if unsafe pointer[0] == 0xE0 { return unsafe pointer[1] >= 0xA0 ? 3 : 0 }
            if unsafe pointer[0] == 0xED { return unsafe pointer[1] < 0xA0 ? 3 : 0 }
            return 3
        case 0xF0...0xF4:
            guard available >= 4,
                unsafe isContinuation(pointer[1]) && isContinuation(pointer[2]) && isContinuation(pointer[3])
            else { return 0 }
            if unsafe pointer[0] == 0xF0 { return unsafe pointer[1] >= 0x90 ? 4 : 0 }
            if unsafe pointer[0] == 0xF4 { return unsafe pointer[1] < 0x90 ? 4 : 0 }
            return 4
        default:
            return 0
        }
    }

    @inline(__always)
    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
