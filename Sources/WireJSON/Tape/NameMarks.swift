// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Which names an object has had so far, as two bits each: names that share both need to be compared, others differ.
struct NameMarks {
    private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    /// Notes a name; true when its bits were set before.
    @inline(__always)
    mutating func insert(_ name: UnsafePointer<UInt8>, count: Int) -> Bool {
        let hash = Self.hash(name, count)
        let isFirstSet = insert(hash &>> 55)
        let isSecondSet = insert(hash &>> 46)
        return isFirstSet && isSecondSet
    }

    /// Sets the bit which the lowest nine bits of a mark name; true when it was set before.
    @inline(__always)
    private mutating func insert(_ mark: UInt64) -> Bool {
        let bit = UInt64(1) &<< (mark & 63)
        return withUnsafeMutableBytes(of: &words) { words in
            // The index is below eight, as nine bits are.
            let offset = Int(truncatingIfNeeded: (mark &>> 6) & 7) &* 8
            let word = words.load(fromByteOffset: offset, as: UInt64.self)
            words.storeBytes(of: word | bit, toByteOffset: offset, as: UInt64.self)
            return word & bit != 0
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
