// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The members of one object by name, where searching it name by name would take too long.
///
/// A table of entries by the hashes of their names. What a name is, only the document knows.
struct NameIndex {
    /// A free slot is 0; others hold half of a name's hash above the name's entry, which is never 0.
    private var slots: [UInt64]

    init(members: Int) {
        // Half of the slots stay free, so that the next free one is near.
        var capacity = 128
        while capacity < 2 * members { capacity *= 2 }
        slots = Array(repeating: 0, count: capacity)
    }

    /// Notes the entry of a name. An earlier one of the same name gives way to it: the last counts.
    ///
    /// - Returns: whether there was an earlier one.
    mutating func insert(_ entry: Int, hash: UInt64, isSameName: (Int) -> Bool) -> Bool {
        let (slot, isTaken) = slot(hash, isSameName)
        slots[slot] = (hash >> 32) << 32 | UInt64(truncatingIfNeeded: entry)
        return isTaken
    }

    func find(hash: UInt64, isName: (Int) -> Bool) -> Int? {
        let (slot, isTaken) = slot(hash, isName)
        return isTaken ? Self.entry(slots[slot]) : nil
    }

    /// The slot that holds a name, or would.
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
