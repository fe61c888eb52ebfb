// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONScanner {
    /// Reads a string's content and its closing quote; the position must be just after the opening quote.
    ///
    /// - Returns: whether the content holds escapes.
    @inline(__always)
    mutating func scanString() throws(ScanFault) -> Bool {
        var index = position
        while end &- index >= 8 {
            let stops = SWAR.stringStops(SWAR.load(bytes + index))
            if stops == 0 {
                index &+= 8
                continue
            }
            index &+= stops.trailingZeroBitCount &>> 3
            guard bytes[index] == UInt8(ascii: "\"") else { break }
            position = index &+ 1
            return false
        }
        let string = try endOfString(from: index)
        position = string.end
        return string.isEscaped
    }

    /// The general case: escapes, characters beyond ASCII, and the text's last seven bytes.
    @inline(never)
    private func endOfString(from start: Int) throws(ScanFault) -> (end: Int, isEscaped: Bool) {
        var index = start
        var isEscaped = false
        while index < end {
            switch bytes[index] {
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
                let stops = SWAR.stringStops(SWAR.load(bytes + index))
                if stops != 0 {
                    index += stops.trailingZeroBitCount &>> 3
                    break
                }
                index += 8
            }
        }
        throw ScanFault(.unexpectedEnd, at: end)
    }

    /// RFC 8259 §7. A `\u` escape is checked for its digits alone: a lone surrogate is JSON.
    @inline(__always)
    private func endOfEscape(at index: Int) throws(ScanFault) -> Int {
        guard index + 1 < end else { throw ScanFault(.unexpectedEnd, at: end) }
        switch bytes[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return index + 2
        case UInt8(ascii: "u"):
            for digit in (index + 2)..<(index + 6) {
                guard digit < end else { throw ScanFault(.unexpectedEnd, at: end) }
                guard HexDigit.value(bytes[digit]) != nil else { throw ScanFault(.invalidEscape, at: index) }
            }
            return index + 6
        default:
            throw ScanFault(.invalidEscape, at: index)
        }
    }

    /// Reads one character beyond ASCII, and those of three bytes that follow at once.
    @inline(__always)
    private func endOfMultibyteCharacters(at start: Int) throws(ScanFault) -> Int {
        var index = start
        while end &- index >= 4, SWAR.beginsWithThreeByteCharacter(SWAR.loadHalf(bytes + index)) { index &+= 3 }
        if index > start { return index }
        let length = UTF8Validation.length(ofCharacterAt: bytes + index, available: end - index)
        guard length > 0 else { throw ScanFault(.invalidUTF8, at: index) }
        return index + length
    }
}

/// Eight bytes in a word.
enum SWAR {
    @inline(__always)
    static func load(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self))
    }

    @inline(__always)
    static func loadHalf(_ pointer: UnsafePointer<UInt8>) -> UInt32 {
        UInt32(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self))
    }

    @inline(__always)
    static func filled(_ byte: UInt8) -> UInt64 {
        UInt64(byte) &* 0x0101_0101_0101_0101
    }

    /// A word which tells pieces of up to seven bytes, all of one length, from each other.
    @inline(__always)
    static func shortWord(_ start: UnsafePointer<UInt8>, _ length: Int) -> UInt64 {
        if length >= 4 { return UInt64(loadHalf(start)) | UInt64(loadHalf(start + length - 4)) &<< 32 }
        guard length > 0 else { return 0 }
        // The first byte, the one in the middle and the last are all that there are.
        return UInt64(start[0]) | UInt64(start[length &>> 1]) &<< 8 | UInt64(start[length &- 1]) &<< 16
    }

    /// How many bytes come before a word's first backslash: eight when there is none.
    @inline(__always)
    static func lengthBeforeBackslash(_ word: UInt64) -> Int {
        // No byte beyond ASCII is one: they keep their high bit.
        (backslashes(word) & ~word & filled(0x80)).trailingZeroBitCount &>> 3
    }

    /// Whether two pieces of memory of one length are the same. The last word of each may overlap the one before.
    @inline(__always)
    static func areEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        if length >= 8 {
            var index = 0
            while index < length &- 8 {
                if load(left + index) != load(right + index) { return false }
                index &+= 8
            }
            return load(left + length - 8) == load(right + length - 8)
        }
        if length >= 4 {
            return loadHalf(left) == loadHalf(right) && loadHalf(left + length - 4) == loadHalf(right + length - 4)
        }
        var index = 0
        while index < length {
            if left[index] != right[index] { return false }
            index &+= 1
        }
        return true
    }

    /// Whether the first bytes, lowest first, are a character of three bytes (RFC 3629 §4).
    @inline(__always)
    static func beginsWithThreeByteCharacter(_ half: UInt32) -> Bool {
        guard half & 0xC0_C0F0 == 0x80_80E0 else { return false }
        // The lead's low bits, and whether the second byte is 0xA0 or more: E0 must have that, ED must not.
        let lead = half & 0x200F
        return lead != 0 && lead != 0x200D
    }

    /// The high bit of each byte that ends a run of plain string content: quote, backslash, control character, or a
    /// byte beyond ASCII. Only the lowest bit set is exact: a borrow may set bits above it.
    @inline(__always)
    static func stringStops(_ word: UInt64) -> UInt64 {
        (quotesAndControls(word) | backslashes(word) | word) & filled(0x80)
    }

    /// The high bit of each ASCII byte that is a quote or a control character. Bytes beyond ASCII may have it too, and
    /// lend nothing to those above; the rest is as exact as in ``stringStops(_:)``.
    @inline(__always)
    static func quotesAndControls(_ word: UInt64) -> UInt64 {
        // With this bit turned a quote is 0x20, a space 0x22, and a control character stays one.
        (word ^ filled(0x02)) &- filled(0x21)
    }

    /// The same for backslashes.
    @inline(__always)
    static func backslashes(_ word: UInt64) -> UInt64 {
        (word ^ filled(UInt8(ascii: "\\"))) &- filled(0x01)
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
