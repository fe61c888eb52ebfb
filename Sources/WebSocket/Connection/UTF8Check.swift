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
            guard let length = unsafe sequenceLength(bytes, at: index, first: first) else { return false }
            index &+= length
        }
        return true
    }

    /// The length of the well-formed sequence of two to four bytes at `index`, or nil.
    @unsafe private static func sequenceLength(_ bytes: UnsafeRawBufferPointer, at index: Int, first: UInt8) -> Int? {
        let length: Int
        let second: ClosedRange<UInt8>
        switch first {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEC, 0xEE...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard index + length <= bytes.count, unsafe second.contains(bytes[index + 1]) else { return nil }
        for offset in 2..<max(length, 2) where unsafe bytes[index + offset] & 0xC0 != 0x80 { return nil }
        return length
    }
}
