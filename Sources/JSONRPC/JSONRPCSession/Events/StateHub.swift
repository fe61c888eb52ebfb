// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A state and the streams of its changes. A slow reader gets the latest states.
final class StateHub<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var current: Value
        var readers: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var nextReader: UInt64 = 0
        var isFinished = false
    }

    private let state: Mutex<State>
    /// The changes that were not passed to the readers yet.
    private let changes = Atomic(0)
    /// Whether the streams end after the last change.
    private let finishes = Atomic(false)

    init(_ initial: Value) { state = Mutex(State(current: initial)) }

    /// Returns a stream of the current state and all later states.
    func stream() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(16))
        let reader = state.withLock { state -> UInt64? in
            // The stream has no reader yet, so this only fills its buffer.
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
        var untold = changes.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
        guard untold == 1 else { return }
        repeat {
            tell(value)
            untold = changes.wrappingSubtract(untold, ordering: .acquiringAndReleasing).newValue
        } while untold > 0
    }

    func finish(_ value: () -> Value) {
        finishes.store(true, ordering: .releasing)
        update(value)
    }

    private func tell(_ value: () -> Value) {
        // Loaded first, so that the last state is not older than the call that ends the streams.
        let isLast = finishes.load(ordering: .acquiring)
        let value = value()
        let (isNew, readers) = state.withLock { state -> (Bool, [AsyncStream<Value>.Continuation]) in
            guard !state.isFinished else { return (false, []) }
            defer {
                state.current = value
                state.isFinished = isLast
                if isLast { state.readers = [:] }
            }
            return (value != state.current, Array(state.readers.values))
        }
        for reader in readers {
            if isNew { reader.yield(value) }
            if isLast { reader.finish() }
        }
    }
}
