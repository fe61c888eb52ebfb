// swift-jsonrpc · SPDX-License-Identifier: MIT

extension SessionEvent {
    /// A stream of the events of a session or a client. It begins when it is made.
    ///
    /// Each stream has its own buffer of ``SessionConfiguration/eventBuffer`` events, with at most 64 MiB of messages. When
    /// the buffer is full, the oldest events are dropped, and the reader gets ``SessionEvent/missed(_:)`` in their place.
    /// Read a stream from one task, because its iterators share the buffer.
    public struct Stream: AsyncSequence, Sendable {
        public typealias Element = SessionEvent
        public typealias Failure = Never

        let reader: EventReader

        public struct AsyncIterator: AsyncIteratorProtocol {
            let reader: EventReader

            /// Returns the next event; `nil` after the last event, and if the task is cancelled.
            public mutating func next() async -> SessionEvent? { await reader.next() }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> SessionEvent? {
                await reader.next()
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }
    }
}

/// The subscription of one reader. It ends when the last reference is released.
final class EventReader: Sendable {
    private let hub: EventHub
    private let id: UInt64

    init(hub: EventHub, id: UInt64) {
        self.hub = hub
        self.id = id
    }

    deinit { hub.unsubscribe(id) }

    func next() async -> SessionEvent? { await hub.next(id) }
}
