// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A first-in, first-out queue of messages that wait for room, each stored under its slot.
///
/// It is a linked list through the slots, so a cancelled message is removed in O(1).
struct AdmissionQueue<Message: Sendable>: Sendable {
    private struct Entry: Sendable {
        var message: Message
        var previous: Int32
        var next: Int32
    }

    private var entries: [Int32: Entry] = [:]
    private(set) var first: Int32?
    private var last: Int32 = -1

    var count: Int { entries.count }
    var isEmpty: Bool { first == nil }

    var head: Message? { first.flatMap { entries[$0]?.message } }

    var slotsInOrder: [Int32] {
        var slots: [Int32] = []
        var slot = first
        while let current = slot {
            slots.append(current)
            slot = entries[current].flatMap { $0.next >= 0 ? $0.next : nil }
        }
        return slots
    }

    mutating func append(slot: Int32, message: Message) {
        entries[slot] = Entry(message: message, previous: last, next: -1)
        if last >= 0 { entries[last]?.next = slot } else { first = slot }
        last = slot
    }

    mutating func remove(slot: Int32) -> Message? {
        guard let entry = entries.removeValue(forKey: slot) else { return nil }
        if entry.previous >= 0 {
            entries[entry.previous]?.next = entry.next
        } else {
            first = entry.next >= 0 ? entry.next : nil
        }
        if entry.next >= 0 { entries[entry.next]?.previous = entry.previous } else { last = entry.previous }
        return entry.message
    }
}
