// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Operations on eight bytes in a word, the first byte lowest. Functions that take a pointer read exactly the given
/// number of bytes, or a word, or half a word.
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

    /// Returns a word that differs for different pieces of the same length, which is at most seven bytes.
    @inline(__always)
    @unsafe static func shortWord(_ start: UnsafePointer<UInt8>, _ length: Int) -> UInt64 {
        if length >= 4 { return unsafe UInt64(loadHalf(start)) | UInt64(loadHalf(start + length - 4)) &<< 32 }
        guard length > 0 else { return 0 }
        // The first, the middle and the last byte cover one to three bytes.
        return unsafe UInt64(start[0]) | UInt64(start[length &>> 1]) &<< 8 | UInt64(start[length &- 1]) &<< 16
    }

    /// The number of bytes before a word's first backslash. It is 8 if there is none.
    @inline(__always)
    static func lengthBeforeBackslash(_ word: UInt64) -> Int {
        // `~word` excludes non-ASCII bytes.
        (backslashes(word) & ~word & filled(0x80)).trailingZeroBitCount &>> 3
    }

    /// Whether two pieces of memory of the same length are equal. The last word of each may overlap the one before.
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

    /// Whether the bytes begin with a character of three bytes (RFC 3629 §4).
    @inline(__always)
    static func beginsWithThreeByteCharacter(_ half: UInt32) -> Bool {
        guard half & 0xC0_C0F0 == 0x80_80E0 else { return false }
        // The lead's low bits, and whether the second byte is 0xA0 or more: E0 requires that, and ED forbids it.
        let lead = half & 0x200F
        return lead != 0 && lead != 0x200D
    }

    /// The high bit of each byte that ends a run of plain string content: quote, backslash, control character, or
    /// non-ASCII byte. Only the lowest set bit is exact, because a borrow may set bits above it.
    @inlinable @inline(__always)
    static func stringStops(_ word: UInt64) -> UInt64 {
        (quotesAndControls(word) | backslashes(word) | word) & filled(0x80)
    }

    /// The high bit of each ASCII byte that is a quote or a control character. It may also be set for non-ASCII bytes,
    /// which borrow nothing from the bytes above. Otherwise it is as exact as in ``stringStops(_:)``.
    @inlinable @inline(__always)
    static func quotesAndControls(_ word: UInt64) -> UInt64 {
        // The XOR turns a quote into 0x20 and a space into 0x22. Control characters stay control characters.
        (word ^ filled(0x02)) &- filled(0x21)
    }

    /// The high bit of each ASCII byte that is a backslash, as exact as in ``quotesAndControls(_:)``.
    @inlinable @inline(__always)
    static func backslashes(_ word: UInt64) -> UInt64 { (word ^ filled(UInt8(ascii: "\\"))) &- filled(0x01) }

    /// The high bit of each byte to escape: quote, backslash, control character, `slash`. Only the lowest one is exact.
    @inline(__always)
    static func escapeStops(_ word: UInt64, slash: UInt8) -> UInt64 {
        let slashes = (word ^ filled(slash)) &- filled(0x01)
        return (quotesAndControls(word) | backslashes(word) | slashes) & ~word & filled(0x80)
    }
}
