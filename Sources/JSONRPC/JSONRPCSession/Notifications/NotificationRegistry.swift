// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

/// The streams of notifications, by method.
///
/// A session passes each notification to ``deliver(_:)``, on the transport's thread and without its own lock. No user
/// code runs here, because notifications are decoded in the consumer's task.
package final class NotificationRegistry: Sendable {
    private struct Reader {
        var id: UInt64
        var queue: NotificationQueue
    }

    private struct State {
        var byMethod: [String: [Reader]] = [:]
        /// The streams of all notifications.
        var ofAll: [Reader] = []
        /// The queues of the latest notification. Most peers send the same method many times in a row.
        var latest: (method: String, queues: [NotificationQueue])?
        var nextID: UInt64 = 0
        var end: NotificationEnd?

        /// Returns the queues of the streams that get the notifications of a method.
        mutating func queues(_ method: String) -> [NotificationQueue] {
            if let latest, latest.method == method { return latest.queues }
            let readers = byMethod[method] ?? []
            // Without a stream, a peer's methods are not remembered.
            guard !readers.isEmpty || !ofAll.isEmpty else { return [] }
            let queues = (readers + ofAll).map(\.queue)
            latest = (method, queues)
            return queues
        }
    }

    /// Lets a stream stop the reading of the connection. The session attaches its transport.
    package let gate = ReadingGate()
    private let clock: any Clock<Duration>
    private let ledger: StreamLedger?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - clock: The clock of ``NotificationOverflow/suspend(capacity:limit:)``.
    ///   - ledger: Counts the gaps. The default is none.
    package init(clock: any Clock<Duration>, ledger: StreamLedger? = nil) {
        self.clock = clock
        self.ledger = ledger
    }

    // MARK: Streams

    /// Returns a stream of notifications, from now on.
    ///
    /// - Parameters:
    ///   - method: The name of the method; `nil` for all notifications.
    ///   - decode: Decodes a notification. It runs in the consumer's task.
    package func stream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value> {
        let reporter = ledger.map { StreamReporter(ledger: $0, method: method) }
        let queue = NotificationQueue(overflow: overflow, gate: gate, clock: clock, reporter: reporter)
        let (id, end) = state.withLock { state in
            state.nextID += 1
            guard state.end == nil else { return (state.nextID, state.end) }
            let reader = Reader(id: state.nextID, queue: queue)
            state.latest = nil
            if let method { state.byMethod[method, default: []].append(reader) } else { state.ofAll.append(reader) }
            return (state.nextID, nil)
        }
        if let end { queue.finish(end) }
        let registration = NotificationRegistration(registry: self, method: method, id: id, queue: queue)
        return NotificationStream(queue: queue, registration: registration, decoding: decoding, decode: decode)
    }

    fileprivate func remove(_ id: UInt64, method: String?) {
        // Released after the lock, because it may be the last reference to a queue.
        let (removed, latest) = state.withLock { state -> ([Reader], [NotificationQueue]?) in
            let latest = state.latest.take()?.queues
            guard let method else {
                let removed = state.ofAll
                state.ofAll.removeAll { $0.id == id }
                return (removed, latest)
            }
            let removed = state.byMethod[method] ?? []
            let rest = removed.filter { $0.id != id }
            state.byMethod[method] = rest.isEmpty ? nil : rest
            return (removed, latest)
        }
        withExtendedLifetime((removed, latest)) {}
    }

    // MARK: From the session

    /// Delivers a notification to its streams. Returns `false` if there are none.
    @discardableResult
    package func deliver(_ notification: InboundNotification) -> Bool {
        var pendingWakeups = PendingWakeups()
        defer { pendingWakeups.perform() }
        return deliver(notification, &pendingWakeups)
    }

    func deliver(_ notification: InboundNotification, _ pendingWakeups: inout PendingWakeups) -> Bool {
        let queues = state.withLock { $0.queues(notification.method) }
        for queue in queues { queue.deliver(notification, &pendingWakeups) }
        return !queues.isEmpty
    }

    /// Adds a gap to every stream after a reconnect.
    package func reconnected() {
        for reader in readers() { reader.queue.missed(NotificationGap(reason: .reconnected, count: nil)) }
    }

    /// Adds a gap to every stream for notifications that may not have been read.
    package func skipped() {
        for reader in readers() { reader.queue.missed(NotificationGap(reason: .overflow, count: nil)) }
    }

    /// Ends every stream, and streams made later at once. The first end wins.
    package func finish(_ end: NotificationEnd) {
        state.withLock { if $0.end == nil { $0.end = end } }
        for reader in readers() { reader.queue.finish(end) }
    }

    private func readers() -> [Reader] {
        state.withLock { $0.byMethod.values.flatMap { $0 } + $0.ofAll }
    }
}

/// The registration of a stream. It ends when the last reference is released.
final class NotificationRegistration: Sendable {
    private let queue: NotificationQueue
    private let registry: NotificationRegistry
    private let method: String?
    private let id: UInt64

    fileprivate init(registry: NotificationRegistry, method: String?, id: UInt64, queue: NotificationQueue) {
        self.registry = registry
        self.method = method
        self.id = id
        self.queue = queue
    }

    deinit {
        registry.remove(id, method: method)
        queue.finish(.finished)
    }
}
