// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A state, and those who follow it. A reader who is behind sees the latest.
final class StateHub<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var current: Value
        var readers: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var nextReader: UInt64 = 0
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

    /// Tells all readers how things stand, if that is news. `value` is read, and the streams are filled, under the lock:
    /// so nobody hears of an older state after a newer one.
    func update(_ value: () -> Value) {
        state.withLock { state in
            let value = value()
            guard !state.isFinished, value != state.current else { return }
            state.current = value
            for reader in state.readers.values { reader.yield(value) }
        }
    }

    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
