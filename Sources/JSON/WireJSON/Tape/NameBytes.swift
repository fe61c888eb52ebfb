// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A name that is compared by its bytes (RFC 8259 §8.3), unlike a Swift string.
@usableFromInline struct NameBytes: Hashable, Sendable {
    @usableFromInline var text: String

    @inlinable init(text: String) { self.text = text }

    @usableFromInline static func == (left: NameBytes, right: NameBytes) -> Bool {
        // Different strings have different bytes. Equal strings can also have different bytes.
        left.text.utf8.count == right.text.utf8.count && left.text == right.text
            && left.text.utf8.elementsEqual(right.text.utf8)
    }

    @usableFromInline func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A Bloom filter of an object's names, with two bits per name. A name is new unless both of its bits are set.
struct NameMarks {
    private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    /// Adds a name. It returns true if both bits were already set.
    @inline(__always)
    @unsafe mutating func insert(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let hash = unsafe Self.hash(name)
        // Three bits of the hash choose a word, and twice six bits choose a bit in it.
        let offset = Int(truncatingIfNeeded: hash &>> 61) &* 8
        let bits = UInt64(1) &<< (hash &>> 55 & 63) | UInt64(1) &<< (hash &>> 49 & 63)
        return unsafe withUnsafeMutableBytes(of: &words) { words in
            let word = unsafe words.load(fromByteOffset: offset, as: UInt64.self)
            unsafe words.storeBytes(of: word | bits, toByteOffset: offset, as: UInt64.self)
            return word & bits == bits
        }
    }

    /// A hash whose upper bits depend on the whole name, or on the first and last eight bytes of a longer name.
    @inline(__always)
    @unsafe private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let start = name.baseAddress else { return 0 }
        let count = name.count
        let word =
            unsafe count >= 8
            ? SWAR.load(start) &* 31 &+ SWAR.load(start + count - 8) : SWAR.shortWord(start, count)
        return (word &+ UInt64(truncatingIfNeeded: count)) &* 0x9E37_79B9_7F4A_7C15
    }
}
