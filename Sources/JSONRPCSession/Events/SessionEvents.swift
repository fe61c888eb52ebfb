// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The events of a session or client, from when this was made.
///
/// Each has a buffer of its own, of ``SessionConfiguration/eventBuffer`` events and 64 MiB of messages in them. When it is
/// full the oldest events are dropped, and the reader finds ``SessionEvent/missed(_:)`` in their place. Read one from one task: a second iterator shares the buffer.
public struct SessionEvents: AsyncSequence, Sendable {
    public typealias Element = SessionEvent
    public typealias Failure = Never

    let reader: EventReader

    public struct AsyncIterator: AsyncIteratorProtocol {
        let reader: EventReader

        /// The next event; nil after the last one, and when the task is cancelled.
        public mutating func next() async -> SessionEvent? { await reader.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> SessionEvent? {
            await reader.next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }
}

/// One reader's place in an ``EventHub``; it leaves the hub when the last reference goes.
final class EventReader: Sendable {
    private let hub: EventHub
    private let id: UInt64
    private let waits = Atomic<UInt64>(0)

    init(hub: EventHub, id: UInt64) {
        self.hub = hub
        self.id = id
    }

    deinit { hub.unsubscribe(id) }

    func next() async -> SessionEvent? {
        let wait = waits.wrappingAdd(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            await withCheckedContinuation { hub.take(id, wait: wait, $0) }
        } onCancel: {
            hub.stopWaiting(id, wait: wait)
        }
    }
}
