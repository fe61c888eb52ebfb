// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Gathers the outcomes of a batch for the task that made it.
final class BatchCollector: Sendable {
    /// An entry's outcome, by the entry's place in the batch.
    typealias Settled = (index: Int, outcome: CallOutcome)

    private struct State {
        var outcomes: [CallOutcome?]
        var missing: Int
        /// Outcomes that the task has not taken.
        var fresh: [Settled] = []
        var continuation: UnsafeContinuation<Void, Never>?
    }

    private let state: Mutex<State>
    /// Whether the task takes each outcome as it arrives, instead of all at the end.
    private let isStream: Bool
    /// Whether each entry gets an outcome. Notifications that are sent together with calls get none.
    private let isExpected: [Bool]

    init(expected isExpected: [Bool], isStream: Bool) {
        self.isExpected = isExpected
        self.isStream = isStream
        state = Mutex(
            State(
                outcomes: Array(repeating: nil, count: isExpected.count), missing: isExpected.count { $0 }))
    }

    /// Stores the outcome of one entry.
    func settle(_ index: Int, _ outcome: CallOutcome) {
        let continuation = state.withLock { state in
            take(index, outcome, &state)
            return due(&state)
        }
        continuation?.resume()
    }

    /// Stores one outcome for several entries: the entries of an array that was not sent, or that holds notifications
    /// alone.
    func settle(_ indices: Range<Int>, _ outcome: CallOutcome) {
        let continuation = state.withLock { state in
            for index in indices { take(index, outcome, &state) }
            return due(&state)
        }
        continuation?.resume()
    }

    private func take(_ index: Int, _ outcome: CallOutcome, _ state: inout State) {
        guard isExpected.indices.contains(index), case nil = state.outcomes[index] else { return }
        state.outcomes[index] = outcome
        if isExpected[index] { state.missing -= 1 }
        if isStream { state.fresh.append((index, outcome)) }
    }

    /// Returns the continuation that must be resumed after the lock is released.
    private func due(_ state: inout State) -> UnsafeContinuation<Void, Never>? {
        isStream || state.missing == 0 ? state.continuation.take() : nil
    }

    /// Waits for all expected outcomes. It does not end early if the task is cancelled, because the cancellation
    /// settles the missing entries.
    func outcomes() async -> [CallOutcome?] {
        while true {
            let outcomes = state.withLock { $0.missing == 0 ? $0.outcomes : nil }
            if let outcomes { return outcomes }
            await news { $0.missing == 0 }
        }
    }

    /// Waits for outcomes that it has not returned yet. The result is empty if all have been returned.
    func next() async -> [Settled] {
        while true {
            let (fresh, isOver) = state.withLock { state -> ([Settled], Bool) in
                defer { state.fresh.removeAll() }
                return (state.fresh, state.missing == 0)
            }
            if !fresh.isEmpty || isOver { return fresh }
            await news { $0.missing == 0 || !$0.fresh.isEmpty }
        }
    }

    /// Waits for ``settle(_:_:)``, unless the condition is already met.
    private func news(_ isThere: @Sendable (borrowing State) -> Bool) async {
        // The continuation is unsafe, and is resumed exactly once: it is removed from the state before it is resumed,
        // and every expected entry is settled.
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isLate = state.withLock { state in
                if isThere(state) { return true }
                state.continuation = continuation
                return false
            }
            if isLate { continuation.resume() }
        }
    }
}
