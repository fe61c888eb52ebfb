// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import TaskWaits

/// Distributes events to all readers, in the same order.
final class EventHub: Sendable {
    private struct Buffer: Sendable {
        private var events: Deque<SessionEvent> = []
        /// The bytes of the peer's messages in the events.
        private var bytes = 0
        private var missed = 0
        /// The number of the reader's latest wait. A new wait ends the earlier one.
        var turn = 0

        var isEmpty: Bool { events.isEmpty && missed == 0 }

        /// Adds an event, and drops the oldest events if the buffer exceeds a limit.
        mutating func append(_ event: SessionEvent, size: Int, capacity: Int) {
            while !events.isEmpty, events.count >= capacity || bytes + size > EventHub.maximumBytes {
                bytes -= events.removeFirst().byteCount
                missed += 1
            }
            events.append(event)
            bytes += size
        }

        mutating func popFirst() -> SessionEvent? {
            if missed > 0 {
                defer { missed = 0 }
                return .missed(missed)
            }
            guard let event = events.popFirst() else { return nil }
            bytes -= event.byteCount
            return event
        }
    }

    private struct State: Sendable {
        var buffers: [UInt64: Buffer] = [:]
        var observer: (@Sendable (SessionEvent) -> Void)?
        var nextReader: UInt64 = 0
        var isFinished = false

        /// Whether a wait of a reader has ended: there is an event, another wait, or no further event.
        func hasEnded(_ turn: Int?, of id: UInt64) -> Bool {
            guard let buffer = buffers[id], !isFinished else { return true }
            return !buffer.isEmpty || buffer.turn != turn
        }
    }

    /// The limit for the bytes of the messages in a reader's events. A larger message is kept if it is the only one.
    static let maximumBytes = 64 << 20

    private let capacity: Int
    private let state = Watched(State())

    init(capacity: Int) { self.capacity = max(1, capacity) }

    func subscribe() -> SessionEvent.Stream {
        let id = state.withLock { state in
            defer { state.nextReader += 1 }
            state.buffers[state.nextReader] = Buffer()
            return state.nextReader
        }
        let subscription = ReleaseToken { [state] in state.update { $0.buffers[id] = nil } }
        return SessionEvent.Stream(hub: self, id: id, subscription: subscription)
    }

    /// Whether there are readers. Without readers, events need not be made.
    var hasReaders: Bool { state.withLock { !$0.buffers.isEmpty || $0.observer != nil } }

    /// Sets a closure that gets each event on the thread where it happens, before the readers. It must return quickly.
    func observe(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        state.withLock { $0.observer = observer }
    }

    func publish(_ event: SessionEvent) {
        state.withLock { $0.observer }?(event)
        let (capacity, size) = (capacity, event.byteCount)
        state.update { state in
            // Changed in place, because each append would copy a whole buffer otherwise.
            for index in state.buffers.values.indices {
                state.buffers.values[index].append(event, size: size, capacity: capacity)
            }
        }
    }

    /// Ends the streams: readers get the events in their buffers, then `nil`.
    func finish() { state.update { $0.isFinished = true } }

    /// Waits for the next event. Returns `nil` at the end, and if the task is cancelled.
    func next(_ id: UInt64) async -> SessionEvent? {
        guard !Task.isCancelled else { return nil }
        let turn = state.update { state in
            state.buffers[id]?.turn += 1
            return state.buffers[id]?.turn
        }
        guard (try? await state.wait { $0.hasEnded(turn, of: id) }) != nil else { return nil }
        return state.withLock { $0.buffers[id]?.turn == turn ? $0.buffers[id]?.popFirst() : nil }
    }

    var waitingCount: Int { state.waitingCount }
}

extension SessionEvent {
    /// A stream of the events of a session or a client. It begins when it is made.
    ///
    /// Each stream has its own buffer of ``SessionConfiguration/Diagnostics/eventBuffer`` events, with at most 64 MiB
    /// of messages. When the buffer is full, the oldest events are dropped, and the reader gets
    /// ``SessionEvent/missed(_:)`` in their place. Read a stream from one task, because its iterators share the buffer.
    public struct Stream: AsyncSequence, Sendable {
        public typealias Element = SessionEvent
        public typealias Failure = Never

        let hub: EventHub
        /// The number of the reader.
        let id: UInt64
        /// Ends the subscription when it is released.
        let subscription: ReleaseToken

        public struct AsyncIterator: AsyncIteratorProtocol {
            let stream: Stream

            /// Returns the next event; `nil` after the last event, and if the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> SessionEvent? {
                await stream.hub.next(stream.id)
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }
    }
}
