// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Which names an object has had so far, as one bit each: names of one bit need to be compared, others differ.
struct NameMarks {
    private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    /// Notes a name; true when its bit was set before.
    ///
    /// - Parameter available: how many bytes may be read from the name's first on.
    @inline(__always)
    mutating func insert(_ name: UnsafePointer<UInt8>, count: Int, available: Int) -> Bool {
        let mark = Self.mark(name, count, available)
        let bit = UInt64(1) &<< (mark & 63)
        return withUnsafeMutableBytes(of: &words) { words in
            // The index is below eight, as nine bits are.
            let offset = Int(truncatingIfNeeded: mark &>> 6) &* 8
            let word = words.load(fromByteOffset: offset, as: UInt64.self)
            words.storeBytes(of: word | bit, toByteOffset: offset, as: UInt64.self)
            return word & bit != 0
        }
    }

    /// A number below 512.
    @inline(__always)
    private static func mark(_ name: UnsafePointer<UInt8>, _ count: Int, _ available: Int) -> UInt64 {
        var word: UInt64 = 0
        if count >= 8 {
            word = SWAR.load(name) &* 31 &+ SWAR.load(name + count - 8)
        } else if available >= 8 {
            word = SWAR.load(name) & ((1 &<< UInt64(8 &* count)) &- 1)
        } else {
            for index in (0..<count).reversed() { word = word << 8 | UInt64(name[index]) }
        }
        return ((word &+ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15) &>> 55
    }
}
