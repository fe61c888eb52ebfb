// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A state and the streams of its changes. A slow reader gets the latest states.
final class StateHub<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var current: Value
        var readers: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var nextReader: UInt64 = 0
        /// Whether a change was not passed to the readers yet.
        var isStale = false
        /// Whether a thread is passing changes to readers. It also passes the changes of other threads.
        var isTelling = false
        /// Whether the streams end after the last change.
        var finishes = false
        var isFinished = false
    }

    private let state: Mutex<State>

    init(_ initial: Value) { state = Mutex(State(current: initial)) }

    /// Returns a stream of the current state and all later states.
    func stream() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(16))
        let reader = state.withLock { state -> UInt64? in
            // Nobody reads the stream yet, so this only fills its buffer.
            continuation.yield(state.current)
            guard !state.isFinished else { return nil }
            defer { state.nextReader += 1 }
            state.readers[state.nextReader] = continuation
            return state.nextReader
        }
        if let reader {
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.readers.removeValue(forKey: reader) }
            }
        } else {
            continuation.finish()
        }
        return stream
    }

    /// Passes the state to all readers, if it has changed.
    ///
    /// One thread at a time reads the state and fills the streams, without a lock. It also does so for threads that
    /// call this function meanwhile. So no reader gets an older state after a newer state.
    func update(_ value: () -> Value) {
        let begins = state.withLock { state in
            state.isStale = true
            return beginTelling(&state)
        }
        if begins { tell(value) }
    }

    /// Ends all streams after the last state.
    func finish(_ value: () -> Value) {
        let begins = state.withLock { state in
            state.finishes = true
            return beginTelling(&state)
        }
        if begins { tell(value) }
    }

    private func beginTelling(_ state: inout State) -> Bool {
        guard !state.isTelling else { return false }
        state.isTelling = true
        return true
    }

    private enum Step {
        case tellNews
        case finish([AsyncStream<Value>.Continuation])
        case stop
    }

    private func tell(_ value: () -> Value) {
        while true {
            switch state.withLock({ nextStep(&$0) }) {
            case .tellNews:
                let value = value()
                let readers = state.withLock { state -> [AsyncStream<Value>.Continuation] in
                    guard !state.isFinished, value != state.current else { return [] }
                    state.current = value
                    return Array(state.readers.values)
                }
                for reader in readers { reader.yield(value) }
            case .finish(let readers): for reader in readers { reader.finish() }
            case .stop: return
            }
        }
    }

    private func nextStep(_ state: inout State) -> Step {
        if state.isStale {
            state.isStale = false
            return .tellNews
        }
        if state.finishes, !state.isFinished {
            state.isFinished = true
            defer { state.readers = [:] }
            return .finish(Array(state.readers.values))
        }
        state.isTelling = false
        return .stop
    }
}
