// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A hash table of the members of one object, for objects in which a linear search would take too long.
///
/// It stores the entries of names. The document compares the names.
struct NameIndex {
    /// A free slot is 0. Others have half of a name's hash above the name's entry, which is never 0.
    private var slots: [UInt64]

    init(members: Int) {
        // At least half of the slots stay free, so that searches are short.
        var capacity = 128
        while capacity < 2 * members { capacity *= 2 }
        slots = Array(repeating: 0, count: capacity)
    }

    /// Inserts the entry of a name. It replaces an earlier entry of the same name: the last one wins.
    ///
    /// - Returns: Whether there was an earlier entry.
    mutating func insert(_ entry: Int, hash: UInt64, isSameName: (Int) -> Bool) -> Bool {
        let (slot, isTaken) = slot(hash, isSameName)
        slots[slot] = (hash >> 32) << 32 | UInt64(truncatingIfNeeded: entry)
        return isTaken
    }

    func find(hash: UInt64, isName: (Int) -> Bool) -> Int? {
        let (slot, isTaken) = slot(hash, isName)
        return isTaken ? Self.entry(slots[slot]) : nil
    }

    /// The slot that holds a name, or the free slot for it.
    @inline(__always)
    private func slot(_ hash: UInt64, _ isName: (Int) -> Bool) -> (Int, isTaken: Bool) {
        let mask = slots.count &- 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            if slots[slot] >> 32 == hash >> 32, isName(Self.entry(slots[slot])) { return (slot, true) }
            slot = (slot &+ 1) & mask
        }
        return (slot, false)
    }

    private static func entry(_ slot: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: slot)) }
}
