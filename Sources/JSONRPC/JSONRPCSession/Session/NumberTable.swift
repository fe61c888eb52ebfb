// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A table from the numbers of request ids to the slots of calls.
///
/// It is a hash table with linear probing and a multiplicative hash. Ascending ids spread evenly, so a look-up costs
/// the same with ten and with a hundred thousand calls in flight. The memory is proportional to the largest number of
/// calls that were in flight at once.
struct NumberTable: Sendable {
    private struct Entry: Sendable {
        var number: Int64
        /// Negative when the entry is empty.
        var slot: Int32
    }

    private static let empty = Entry(number: 0, slot: -1)

    private var entries: ContiguousArray<Entry>
    /// 64 minus the binary logarithm of the capacity.
    private var shift: UInt64
    private(set) var count = 0

    init() {
        entries = ContiguousArray(repeating: Self.empty, count: 64)
        shift = 64 - 6
    }

    private var mask: Int { entries.count - 1 }

    private func home(_ number: Int64) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }

    subscript(_ number: Int64) -> Int32? {
        let mask = mask
        var index = home(number)
        while true {
            let entry = entries[index]
            if entry.slot < 0 { return nil }
            if entry.number == number { return entry.slot }
            index = (index &+ 1) & mask
        }
    }

    /// Adds a number. Returns `false` and changes nothing if the number is already in the table.
    mutating func insert(_ number: Int64, slot: Int32) -> Bool {
        if (count &+ 1) &* 2 > entries.count { grow() }
        let mask = mask
        var index = home(number)
        while entries[index].slot >= 0 {
            if entries[index].number == number { return false }
            index = (index &+ 1) & mask
        }
        entries[index] = Entry(number: number, slot: slot)
        count &+= 1
        return true
    }

    mutating func remove(_ number: Int64) -> Int32? {
        let mask = mask
        var index = home(number)
        while true {
            let entry = entries[index]
            if entry.slot < 0 { return nil }
            if entry.number == number {
                closeGap(at: index)
                count &-= 1
                return entry.slot
            }
            index = (index &+ 1) & mask
        }
    }

    /// Moves later entries of the same run back, so that probing never needs tombstones.
    private mutating func closeGap(at removed: Int) {
        let mask = mask
        var gap = removed
        var index = (removed &+ 1) & mask
        while entries[index].slot >= 0 {
            let distance = (index &- home(entries[index].number)) & mask
            if distance >= (index &- gap) & mask {
                entries[gap] = entries[index]
                gap = index
            }
            index = (index &+ 1) & mask
        }
        entries[gap] = Self.empty
    }

    private mutating func grow() {
        let old = entries
        entries = ContiguousArray(repeating: Self.empty, count: old.count * 2)
        shift -= 1
        let mask = mask
        for entry in old where entry.slot >= 0 {
            var index = home(entry.number)
            while entries[index].slot >= 0 { index = (index &+ 1) & mask }
            entries[index] = entry
        }
    }
}
