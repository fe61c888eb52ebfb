// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The tasks that wait for a client's next connection, in order.
struct ConnectionWaiters: Sendable {
    typealias Waiter = CheckedContinuation<DuplexSession, any Error>

    private var waiters: [UInt64: Waiter] = [:]
    private var order: [UInt64] = []
    /// The waiters that were cancelled before they were registered.
    private var cancelled: Set<UInt64> = []
    private var nextID: UInt64 = 0

    /// The number of tasks that wait.
    var count: Int { waiters.count }

    /// Whether nothing is kept of any task.
    var isEmpty: Bool { waiters.isEmpty && cancelled.isEmpty }

    mutating func makeID() -> UInt64 {
        nextID += 1
        return nextID
    }

    /// Registers a task. Returns `false` if it has been cancelled.
    mutating func insert(_ id: UInt64, _ waiter: Waiter) -> Bool {
        if cancelled.remove(id) != nil { return false }
        // Ids of waiters that were cancelled stay behind until they are as many as the others.
        if order.count > 2 * waiters.count + 16 { order.removeAll { waiters[$0] == nil } }
        waiters[id] = waiter
        order.append(id)
        return true
    }

    /// Removes a task that is cancelled. It must be resumed if it is returned.
    mutating func cancel(_ id: UInt64) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else {
            cancelled.insert(id)
            return nil
        }
        return waiter
    }

    /// Forgets a task that has been resumed.
    mutating func forget(_ id: UInt64) { cancelled.remove(id) }

    /// Removes all tasks, which must be resumed in this order.
    mutating func takeAll() -> [Waiter] {
        defer {
            waiters = [:]
            order = []
        }
        return order.compactMap { waiters[$0] }
    }
}
