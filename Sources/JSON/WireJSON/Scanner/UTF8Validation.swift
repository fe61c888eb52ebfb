// swift-jsonrpc · SPDX-License-Identifier: MIT

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
