// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Gathers the outcomes of a batch's members, and resumes the batch's caller with the last of them.
final class BatchCollector: Sendable {
    private struct State {
        var outcomes: [CallOutcome?]
        var missing: Int
        var continuation: UnsafeContinuation<[CallOutcome?], Never>?
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - entries: how many there are, notifications included.
    ///   - calls: how many of them get an outcome; at least 1.
    ///   - continuation: unsafe, since it is taken out of the state before it is resumed, and so resumed once; it is
    ///     resumed because every member is settled.
    init(entries: Int, calls: Int, continuation: UnsafeContinuation<[CallOutcome?], Never>) {
        state = Mutex(
            State(outcomes: Array(repeating: nil, count: entries), missing: calls, continuation: continuation))
    }

    /// Takes one member's outcome.
    func settle(_ index: Int, _ outcome: CallOutcome) {
        finish { state in
            guard state.outcomes.indices.contains(index), state.outcomes[index] == nil else { return }
            state.outcomes[index] = outcome
            state.missing -= 1
        }
    }

    /// Takes one outcome for all: the batch was never sent.
    func settleAll(_ outcome: CallOutcome) {
        finish { state in
            for index in state.outcomes.indices { state.outcomes[index] = outcome }
            state.missing = 0
        }
    }

    private func finish(_ change: (inout State) -> Void) {
        typealias Continuation = UnsafeContinuation<[CallOutcome?], Never>
        let (continuation, outcomes) = state.withLock { state -> (Continuation?, [CallOutcome?]) in
            change(&state)
            guard state.missing <= 0 else { return (nil, []) }
            return (state.continuation.take(), state.outcomes)
        }
        continuation?.resume(returning: outcomes)
    }
}
