// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import Synchronization

/// Distributes events to all readers, in the same order.
final class EventHub: Sendable {
    private typealias Waiter = CheckedContinuation<SessionEvent?, Never>

    private struct Buffer {
        private(set) var events: Deque<SessionEvent> = []
        /// The bytes of the peer's messages in the events.
        private var bytes = 0
        var missed = 0
        var waiter: (wait: UInt64, continuation: Waiter)?
        /// The last wait that was cancelled before it began.
        var cancelledWait: UInt64?

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

    /// Adds a reader.
    func subscribe() -> SessionEvents {
        let id = state.withLock { state in
            defer { state.nextReader += 1 }
            state.buffers[state.nextReader] = Buffer()
            return state.nextReader
        }
        return SessionEvents(reader: EventReader(hub: self, id: id))
    }

    func unsubscribe(_ id: UInt64) {
        let waiter = state.withLock { $0.buffers.removeValue(forKey: id)?.waiter?.continuation }
        waiter?.resume(returning: nil)
    }

    /// Whether there are readers. Without readers, events need not be made.
    var hasReaders: Bool { state.withLock { !$0.buffers.isEmpty || $0.observer != nil } }

    /// Sets a closure that gets each event where it happens, before the readers. It must return quickly.
    func observe(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        state.withLock { $0.observer = observer }
    }

    func publish(_ event: SessionEvent) {
        state.withLock { $0.observer }?(event)
        let (capacity, size) = (capacity, event.byteCount)
        let waiters = state.withLock { state in
            var waiters: [Waiter] = []
            // In place: a copy of the dictionary would make each append copy a whole buffer.
            for index in state.buffers.values.indices {
                if let waiter = state.buffers.values[index].waiter.take() {
                    waiters.append(waiter.continuation)
                    continue
                }
                state.buffers.values[index].append(event, size: size, capacity: capacity)
            }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: event) }
    }

    /// Ends the streams: readers get the events in their buffers, then `nil`.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            return state.buffers.keys.compactMap { state.buffers[$0]?.waiter.take()?.continuation }
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    // MARK: For readers

    private enum Taking {
        case event(SessionEvent)
        case end(superseded: Waiter?)
        case waits(superseded: Waiter?)
    }

    /// Waits for the next event. Each wait of a reader has a number of its own.
    func take(_ id: UInt64, wait: UInt64, _ waiter: CheckedContinuation<SessionEvent?, Never>) {
        let taking: Taking = state.withLock { state in
            guard var buffer = state.buffers[id] else { return .end(superseded: nil) }
            defer { state.buffers[id] = buffer }
            if buffer.cancelledWait == wait { return .end(superseded: nil) }
            if buffer.missed > 0 {
                defer { buffer.missed = 0 }
                return .event(.missed(buffer.missed))
            }
            if let event = buffer.popFirst() { return .event(event) }
            if state.isFinished { return .end(superseded: nil) }
            let superseded = buffer.waiter?.continuation
            buffer.waiter = (wait, waiter)
            return .waits(superseded: superseded)
        }
        switch taking {
        case .event(let event): waiter.resume(returning: event)
        case .end(let superseded):
            superseded?.resume(returning: nil)
            waiter.resume(returning: nil)
        case .waits(let superseded): superseded?.resume(returning: nil)
        }
    }

    func stopWaiting(_ id: UInt64, wait: UInt64) {
        let waiter: Waiter? = state.withLock { state in
            guard state.buffers[id]?.waiter?.wait == wait else {
                // The wait has not begun, or has ended. If it has ended, the mark has no effect.
                state.buffers[id]?.cancelledWait = wait
                return nil
            }
            return state.buffers[id]?.waiter.take()?.continuation
        }
        waiter?.resume(returning: nil)
    }
}
