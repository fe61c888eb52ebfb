// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// The peer's calls that are being served. Their ids are the peer's: they have nothing to do with ours.
struct InboundCallTable: Sendable {
    private struct Entry: Sendable {
        var id: RequestID?
        /// What the call's message takes.
        var bytes = 0
        var task: Task<Void, Never>?
        var generation: UInt32 = 0
        var isServed = false
        var isCancelled = false
        /// True when the entry is the one that is found by its id: of several with one id, the first.
        var isIndexed = false
    }

    private var entries: ContiguousArray<Entry> = []
    private var free: ContiguousArray<Int32> = []
    private var numbers = NumberTable()
    private var names: [String: Int32] = [:]

    var count: Int { entries.count &- free.count }
    /// What the messages of all these calls take.
    private(set) var bytes = 0

    /// The tasks that serve.
    var tasks: [Task<Void, Never>] { entries.compactMap(\.task) }

    /// True when a call with this id is being served.
    func contains(_ id: RequestID) -> Bool { slot(of: id) != nil }

    private func slot(of id: RequestID) -> Int32? {
        switch id {
        case .number(let number): numbers[number]
        case .string(let name): names[name]
        }
    }

    /// Takes a call in.
    mutating func insert(_ id: RequestID?, bytes: Int) -> CallKey {
        let slot: Int32
        if let last = free.popLast() {
            slot = last
        } else {
            slot = Int32(truncatingIfNeeded: entries.count)
            entries.append(Entry())
        }
        let index = Int(slot)
        entries[index].isServed = true
        entries[index].id = id
        entries[index].bytes = bytes
        self.bytes &+= bytes
        switch id {
        case .number(let number): entries[index].isIndexed = numbers.insert(number, slot: slot)
        case .string(let name) where names[name] == nil:
            names[name] = slot
            entries[index].isIndexed = true
        case .string, nil: break
        }
        return CallKey(slot: slot, generation: entries[index].generation)
    }

    /// Where a call's entry is, nil when it has been answered.
    private func index(of key: CallKey) -> Int? {
        let index = Int(key.slot)
        guard entries.indices.contains(index), entries[index].isServed, entries[index].generation == key.generation
        else { return nil }
        return index
    }

    /// Notes the task that serves a call. False when the task is to be cancelled: the peer's notice came first.
    mutating func setTask(_ task: Task<Void, Never>, for key: CallKey) -> Bool {
        guard let index = index(of: key) else { return true }
        entries[index].task = task
        return !entries[index].isCancelled
    }

    /// The call has been answered.
    mutating func remove(_ key: CallKey) {
        guard let index = index(of: key) else { return }
        if entries[index].isIndexed {
            switch entries[index].id {
            case .number(let number): _ = numbers.remove(number)
            case .string(let name): names[name] = nil
            case nil: break
            }
        }
        bytes &-= entries[index].bytes
        entries[index] = Entry(generation: key.generation &+ 1)
        free.append(key.slot)
    }

    /// The peer gives a call up: its task, when there is one already.
    mutating func cancel(_ id: RequestID) -> Task<Void, Never>? {
        guard let slot = slot(of: id) else { return nil }
        entries[Int(slot)].isCancelled = true
        return entries[Int(slot)].task
    }
}
