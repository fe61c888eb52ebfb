// swift-jsonrpc · SPDX-License-Identifier: MIT

/// UTF-8 as RFC 3629 §4 has it: shortest forms only, no surrogates, nothing above U+10FFFF.
package enum UTF8Validation {
    /// The length of the character of two to four bytes that begins at a pointer, or 0 when there is none.
    ///
    /// - Parameter available: how many bytes may be read; at least one.
    @inline(__always)
    static func length(ofCharacterAt pointer: UnsafePointer<UInt8>, available: Int) -> Int {
        switch pointer[0] {
        case 0xC2...0xDF:
            return available >= 2 && isContinuation(pointer[1]) ? 2 : 0
        case 0xE0...0xEF:
            guard available >= 3, isContinuation(pointer[1]), isContinuation(pointer[2]) else { return 0 }
            if pointer[0] == 0xE0 { return pointer[1] >= 0xA0 ? 3 : 0 }
            if pointer[0] == 0xED { return pointer[1] < 0xA0 ? 3 : 0 }
            return 3
        case 0xF0...0xF4:
            guard available >= 4, isContinuation(pointer[1]), isContinuation(pointer[2]), isContinuation(pointer[3])
            else { return 0 }
            if pointer[0] == 0xF0 { return pointer[1] >= 0x90 ? 4 : 0 }
            if pointer[0] == 0xF4 { return pointer[1] < 0x90 ? 4 : 0 }
            return 4
        default:
            return 0
        }
    }

    @inline(__always)
    private static func isContinuation(_ byte: UInt8) -> Bool {
        byte & 0xC0 == 0x80
    }

    /// The offset of the first byte that is not UTF-8, at `start` or after; nil when all is.
    package static func firstFault(in buffer: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard let base = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        var index = max(start, 0)
        while index < buffer.count {
            if buffer.count - index >= 8, SWAR.load(base + index) & SWAR.filled(0x80) == 0 {
                index += 8
            } else if base[index] < 0x80 {
                index += 1
            } else {
                let length = length(ofCharacterAt: base + index, available: buffer.count - index)
                if length == 0 { return index }
                index += length
            }
        }
        return nil
    }
}
