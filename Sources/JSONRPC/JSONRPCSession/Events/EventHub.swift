// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import Synchronization
import TaskWaits

/// Distributes events to all readers, in the same order.
final class EventHub: Sendable {
    private struct Buffer {
        private(set) var events: Deque<SessionEvent> = []
        /// The bytes of the peer's messages in the events.
        private var bytes = 0
        var missed = 0
        /// The wait of the reader for another event, or the end.
        var wait: CancellableWait<Void>?

        /// Adds an event, and drops the oldest events if the buffer exceeds a limit.
        mutating func append(_ event: SessionEvent, size: Int, capacity: Int) {
            while !events.isEmpty, events.count >= capacity || bytes + size > EventHub.maximumBytes {
                _ = popFirst()
                missed += 1
            }
            events.append(event)
            bytes += size
        }

        mutating func popFirst() -> SessionEvent? {
            guard let event = events.popFirst() else { return nil }
            bytes -= event.byteCount
            return event
        }
    }

    private struct State {
        var buffers: [UInt64: Buffer] = [:]
        var observer: (@Sendable (SessionEvent) -> Void)?
        var nextReader: UInt64 = 0
        var isFinished = false
    }

    /// The limit for the bytes of the messages in a reader's events. A larger message is kept if it is the only one.
    static let maximumBytes = 64 << 20

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = max(1, capacity) }

    func subscribe() -> SessionEvent.Stream {
        let id = state.withLock { state in
            defer { state.nextReader += 1 }
            state.buffers[state.nextReader] = Buffer()
            return state.nextReader
        }
        let subscription = ReleaseToken { [self] in
            state.withLock { $0.buffers.removeValue(forKey: id)?.wait }?.resume()
        }
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
        let waits = state.withLock { state in
            var waits: [CancellableWait<Void>] = []
            // Changed in place, because each append would copy a whole buffer otherwise.
            for index in state.buffers.values.indices {
                state.buffers.values[index].append(event, size: size, capacity: capacity)
                if let wait = state.buffers.values[index].wait.take() { waits.append(wait) }
            }
            return waits
        }
        for wait in waits { wait.resume() }
    }

    /// Ends the streams: readers get the events in their buffers, then `nil`.
    func finish() {
        let waits = state.withLock { state in
            state.isFinished = true
            return state.buffers.keys.compactMap { state.buffers[$0]?.wait.take() }
        }
        for wait in waits { wait.resume() }
    }

    // MARK: For readers

    private enum Taking {
        case event(SessionEvent)
        case end
        /// There is no event yet. An earlier wait of the same reader ends.
        case wait(CancellableWait<Void>, superseded: CancellableWait<Void>?)
    }

    /// Waits for the next event. Returns `nil` at the end, and if the task is cancelled.
    func next(_ id: UInt64) async -> SessionEvent? {
        while !Task.isCancelled {
            switch take(id) {
            case .event(let event): return event
            case .end: return nil
            case .wait(let wait, let superseded):
                superseded?.resume(throwing: CancellationError())
                guard (try? await wait.value()) != nil else { return nil }
            }
        }
        return nil
    }

    func isAwaited(_ id: UInt64) -> Bool { state.withLock { $0.buffers[id]?.wait != nil } }

    private func take(_ id: UInt64) -> Taking {
        state.withLock { state in
            guard var buffer = state.buffers[id] else { return .end }
            // The buffer is removed from the dictionary meanwhile, so that a change does not copy it.
            state.buffers[id] = nil
            defer { state.buffers[id] = buffer }
            if buffer.missed > 0 {
                defer { buffer.missed = 0 }
                return .event(.missed(buffer.missed))
            }
            if let event = buffer.popFirst() { return .event(event) }
            if state.isFinished { return .end }
            let wait = CancellableWait<Void>()
            defer { buffer.wait = wait }
            return .wait(wait, superseded: buffer.wait)
        }
    }
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
