// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import JSONRPCCore

/// The peer's calls in progress. Their ids are the peer's, and independent of this side's ids.
struct ServedCalls: Sendable {
    private struct Entry: Sendable {
        var id: RequestID?
        /// The bytes of the call's message.
        var bytes = 0
        var task: Task<Void, Never>?
        var generation: UInt32 = 0
        var isServed = false
        var isCancelled = false
        /// Whether the entry is found by its id. Only the first of several entries with one id is.
        var isIndexed = false
    }

    private var entries: ContiguousArray<Entry> = []
    private var free: ContiguousArray<Int32> = []
    private var numbers = NumberTable()
    private var names: [String: Int32] = [:]
    /// The calls for synchronous handlers that the serving task has not taken.
    private var queue: [QueuedServing] = []
    private var hasServingTask = false
    /// Handlers that begin when the peer has read its answers.
    var heldHandlers: Deque<UnsafeContinuation<Bool, Never>> = []

    /// Adds a call for a synchronous handler. Returns whether a serving task must be started.
    mutating func append(_ serving: QueuedServing) -> Bool {
        queue.append(serving)
        defer { hasServingTask = true }
        return !hasServingTask
    }

    /// Takes all calls for the serving task, into an empty array. Returns `false` if there are none; then the task
    /// ends.
    mutating func takeQueue(_ calls: inout [QueuedServing]) -> Bool {
        hasServingTask = !queue.isEmpty
        swap(&queue, &calls)
        return hasServingTask
    }

    var count: Int { entries.count &- free.count }
    /// The bytes of the messages of all calls in progress.
    private(set) var bytes = 0

    var tasks: [Task<Void, Never>] { entries.compactMap(\.task) }

    func contains(_ id: RequestID) -> Bool { slot(of: id) != nil }

    private func slot(of id: RequestID) -> Int32? {
        switch id {
        case .number(let number): numbers[number]
        case .string(let name): names[name]
        }
    }

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

    /// Returns the index of a call's entry; `nil` if the call has been answered.
    private func index(of key: CallKey) -> Int? {
        let index = Int(key.slot)
        guard entries.indices.contains(index), entries[index].isServed, entries[index].generation == key.generation
        else { return nil }
        return index
    }

    /// Stores the task that serves a call. Returns `false` if the peer has already cancelled the call.
    mutating func setTask(_ task: Task<Void, Never>, for key: CallKey) -> Bool {
        guard let index = index(of: key) else { return true }
        entries[index].task = task
        return !entries[index].isCancelled
    }

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

    /// Marks a call as cancelled by the peer. Returns its task, if there is one already.
    mutating func cancel(_ id: RequestID) -> Task<Void, Never>? {
        guard let slot = slot(of: id) else { return nil }
        entries[Int(slot)].isCancelled = true
        return entries[Int(slot)].task
    }
}
