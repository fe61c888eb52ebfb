// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Gathers the outcomes of a batch's entries, for the one task that made the batch.
final class BatchCollector: Sendable {
    /// An entry's outcome, by the entry's place in the batch.
    typealias Settled = (index: Int, outcome: CallOutcome)

    private struct State {
        var outcomes: [CallOutcome?]
        var missing: Int
        /// Outcomes that the task has not been given.
        var fresh: [Settled] = []
        var continuation: UnsafeContinuation<Void, Never>?
    }

    private let state: Mutex<State>
    /// Whether the task wants each outcome as it comes, not all at the end.
    private let isStream: Bool
    /// Which entries get an outcome in any case: not those notifications that go out together with calls.
    private let isExpected: [Bool]

    init(expected isExpected: [Bool], isStream: Bool) {
        self.isExpected = isExpected
        self.isStream = isStream
        state = Mutex(
            State(
                outcomes: Array(repeating: nil, count: isExpected.count), missing: isExpected.count { $0 }))
    }

    /// Takes one entry's outcome.
    func settle(_ index: Int, _ outcome: CallOutcome) {
        let continuation = state.withLock { state in
            take(index, outcome, &state)
            return due(&state)
        }
        continuation?.resume()
    }

    /// Takes one outcome for several entries: those of an array that was not sent, or that holds notifications alone.
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

    /// Who is to be resumed, once the lock is released.
    private func due(_ state: inout State) -> UnsafeContinuation<Void, Never>? {
        isStream || state.missing == 0 ? state.continuation.take() : nil
    }

    /// Waits until every expected outcome is there. Does not end early when the task is cancelled: that settles what
    /// is missing.
    func outcomes() async -> [CallOutcome?] {
        while true {
            let outcomes = state.withLock { $0.missing == 0 ? $0.outcomes : nil }
            if let outcomes { return outcomes }
            await news { $0.missing == 0 }
        }
    }

    /// Waits for outcomes which this method has not given yet; empty when all have been given.
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

    /// Waits for ``settle(_:_:)``, unless what is waited for is there already.
    private func news(_ isThere: @Sendable (borrowing State) -> Bool) async {
        // Unsafe, since it is taken out of the state before it is resumed, and so resumed once; it is resumed because
        // every expected entry is settled.
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
