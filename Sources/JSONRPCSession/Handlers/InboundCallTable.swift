// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// The peer's calls that are being served. Their ids are the peer's: they have nothing to do with ours.
struct InboundCallTable: Sendable {
    private struct Entry: Sendable {
        var id: RequestID?
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private var entries: [UInt64: Entry] = [:]
    private var byID: [RequestID: UInt64] = [:]
    private var next: UInt64 = 0

    var count: Int { entries.count }

    /// The tasks that serve.
    var tasks: [Task<Void, Never>] { entries.values.compactMap(\.task) }

    /// True when a call with this id is being served.
    func contains(_ id: RequestID) -> Bool { byID[id] != nil }

    /// Takes a call in.
    mutating func insert(_ id: RequestID?) -> UInt64 {
        let key = next
        next &+= 1
        entries[key] = Entry(id: id)
        if let id, byID[id] == nil { byID[id] = key }
        return key
    }

    /// Notes the task that serves a call. False when the task is to be cancelled: the peer's notice came first.
    mutating func setTask(_ task: Task<Void, Never>, for key: UInt64) -> Bool {
        guard let entry = entries[key] else { return true }
        entries[key]?.task = task
        return !entry.isCancelled
    }

    /// The call has been answered.
    mutating func remove(_ key: UInt64) {
        guard let entry = entries.removeValue(forKey: key), let id = entry.id, byID[id] == key else { return }
        byID[id] = nil
    }

    /// The peer gives a call up: its task, when there is one already.
    mutating func cancel(_ id: RequestID) -> Task<Void, Never>? {
        guard let key = byID[id] else { return nil }
        entries[key]?.isCancelled = true
        return entries[key]?.task
    }
}
