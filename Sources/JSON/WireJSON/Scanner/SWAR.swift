// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Eight bytes in a word, the first byte lowest. Functions that take a pointer read only as many bytes from there as
/// they are told, or as a word or half a word has.
@usableFromInline package enum SWAR {
    @inlinable @inline(__always)
    @unsafe package static func load(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: unsafe UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self))
    }

    @inlinable @inline(__always)
    @unsafe package static func loadHalf(_ pointer: UnsafePointer<UInt8>) -> UInt32 {
        UInt32(littleEndian: unsafe UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self))
    }

    @inline(__always)
    @unsafe static func store(_ word: UInt64, _ pointer: UnsafeMutablePointer<UInt8>) {
        unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: word.littleEndian, as: UInt64.self)
    }

    @inlinable @inline(__always)
    static func filled(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// A word which tells pieces of up to seven bytes, all of one length, from each other.
    @inline(__always)
    @unsafe static func shortWord(_ start: UnsafePointer<UInt8>, _ length: Int) -> UInt64 {
        if length >= 4 { return unsafe UInt64(loadHalf(start)) | UInt64(loadHalf(start + length - 4)) &<< 32 }
        guard length > 0 else { return 0 }
        // The first byte, the one in the middle and the last are all that there are.
        return unsafe UInt64(start[0]) | UInt64(start[length &>> 1]) &<< 8 | UInt64(start[length &- 1]) &<< 16
    }

    /// How many bytes come before a word's first backslash: eight when there is none.
    @inline(__always)
    static func lengthBeforeBackslash(_ word: UInt64) -> Int {
        // No byte beyond ASCII is one: they keep their high bit.
        (backslashes(word) & ~word & filled(0x80)).trailingZeroBitCount &>> 3
    }

    /// Whether two pieces of memory of one length are the same. The last word of each may overlap the one before.
    @inlinable @inline(__always)
    @unsafe static func areEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        if length >= 8 {
            var index = 0
            while index < length &- 8 {
                if unsafe load(left + index) != load(right + index) { return false }
                index &+= 8
            }
            return unsafe load(left + length - 8) == load(right + length - 8)
        }
        if length >= 4 {
            return unsafe loadHalf(left) == loadHalf(right)
                && loadHalf(left + length - 4) == loadHalf(right + length - 4)
        }
        var index = 0
        while index < length {
            if unsafe left[index] != right[index] { return false }
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
    @inlinable @inline(__always)
    static func stringStops(_ word: UInt64) -> UInt64 {
        (quotesAndControls(word) | backslashes(word) | word) & filled(0x80)
    }

    /// The high bit of each ASCII byte that is a quote or a control character. Bytes beyond ASCII may have it too, and
    /// lend nothing to those above; the rest is as exact as in ``stringStops(_:)``.
    @inlinable @inline(__always)
    static func quotesAndControls(_ word: UInt64) -> UInt64 {
        // With this bit turned a quote is 0x20, a space 0x22, and a control character stays one.
        (word ^ filled(0x02)) &- filled(0x21)
    }

    /// The same for backslashes.
    @inlinable @inline(__always)
    static func backslashes(_ word: UInt64) -> UInt64 { (word ^ filled(UInt8(ascii: "\\"))) &- filled(0x01) }

    /// The high bit of each byte that must be escaped: quote, backslash, control character, and one more. Only the
    /// lowest bit set is exact.
    @inline(__always)
    static func escapeStops(_ word: UInt64, slash: UInt8) -> UInt64 {
        let slashes = (word ^ filled(slash)) &- filled(0x01)
        return (quotesAndControls(word) | backslashes(word) | slashes) & ~word & filled(0x80)
    }
}
