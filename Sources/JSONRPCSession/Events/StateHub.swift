// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A state, and those who follow it. A reader who is behind sees the latest.
final class StateHub<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var current: Value
        var readers: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var nextReader: UInt64 = 0
        /// True when somebody has news that no reader was told.
        var isStale = false
        /// True while a thread tells readers: others leave their news to it.
        var isTelling = false
        /// True when the readers are to be finished once they have all news.
        var finishes = false
        var isFinished = false
    }

    private let state: Mutex<State>

    init(_ initial: Value) { state = Mutex(State(current: initial)) }

    /// The state now, and each after it.
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

    /// Tells all readers the state, if it has changed.
    ///
    /// One thread at a time reads the state and fills the streams, without a lock. A thread that comes meanwhile leaves
    /// its news to that thread. So nobody hears of an older state after a newer one.
    func update(_ value: () -> Value) {
        let begins = state.withLock { state in
            state.isStale = true
            return beginTelling(&state)
        }
        if begins { tell(value) }
    }

    /// Ends all streams, once their readers have been told the last state.
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
