// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Which names an object has had so far, as two bits each: names that share both need to be compared, others differ.
struct NameMarks {
    private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    /// Notes a name; true when its bits were set before.
    @inline(__always)
    mutating func insert(_ name: UnsafePointer<UInt8>, count: Int) -> Bool {
        let hash = Self.hash(name, count)
        // Three bits name a word, six a bit in it, and six the other bit.
        let offset = Int(truncatingIfNeeded: hash &>> 61) &* 8
        let bits = UInt64(1) &<< (hash &>> 55 & 63) | UInt64(1) &<< (hash &>> 49 & 63)
        return withUnsafeMutableBytes(of: &words) { words in
            let word = words.load(fromByteOffset: offset, as: UInt64.self)
            words.storeBytes(of: word | bits, toByteOffset: offset, as: UInt64.self)
            return word & bits == bits
        }
    }

    /// A number whose upper bits depend on the whole name, or on the first and last eight bytes of a longer one.
    @inline(__always)
    private static func hash(_ name: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
        let word =
            count >= 8 ? SWAR.load(name) &* 31 &+ SWAR.load(name + count - 8) : SWAR.shortWord(name, count)
        return (word &+ UInt64(truncatingIfNeeded: count)) &* 0x9E37_79B9_7F4A_7C15
    }
}
