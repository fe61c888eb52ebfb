// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Whether bytes are well-formed UTF-8 (Unicode 15, table 3-7), eight ASCII bytes at a time.
enum UTF8Check {
    @unsafe static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = bytes.count
        var index = 0
        while index < count {
            while index &+ 8 <= count,
                unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                index &+= 8
            }
            guard index < count else { break }
            let first = unsafe bytes[index]
            if first < 0x80 {
                index &+= 1
                continue
            }
            guard let length = length(first: first), index + length <= count,
                secondBytes(after: first).contains(unsafe bytes[index + 1])
            else { return false }
            for offset in 2..<max(length, 2) where unsafe bytes[index + offset] & 0xC0 != 0x80 { return false }
            index &+= length
        }
        return true
    }

    /// Whether up to four bytes, the first of which is not ASCII, are or begin a well-formed sequence.
    static func mayBegin(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, let length = length(first: first), bytes.count <= length else { return false }
        if bytes.count > 1, !secondBytes(after: first).contains(bytes[1]) { return false }
        return bytes.dropFirst(2).allSatisfy { $0 & 0xC0 == 0x80 }
    }

    /// The length of the sequence that begins with this byte; `nil` when none does.
    static func length(first: UInt8) -> Int? {
        switch first {
        case 0x00...0x7F: 1
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: nil
        }
    }

    /// What may follow the first byte of a sequence of two to four.
    private static func secondBytes(after first: UInt8) -> ClosedRange<UInt8> {
        switch first {
        case 0xE0: 0xA0...0xBF
        case 0xED: 0x80...0x9F
        case 0xF0: 0x90...0xBF
        case 0xF4: 0x80...0x8F
        default: 0x80...0xBF
        }
    }
}
