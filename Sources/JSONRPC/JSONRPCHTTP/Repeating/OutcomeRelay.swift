// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

/// Carries the outcomes of members from the tasks that send POSTs to the task that made the batch.
///
/// It does not end when that task is cancelled, because each member has an outcome then, too.
final class OutcomeRelay: Sendable {
    typealias Settled = (index: Int, outcome: Result<RawJSON, CallError>)

    private struct State {
        /// The outcomes that were not taken.
        var fresh: [Settled] = []
        var isOver = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Adds the outcome of the member at an index.
    func settle(_ index: Int, _ outcome: Result<RawJSON, CallError>) {
        let waiter = state.withLock { state in
            state.fresh.append((index, outcome))
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Says that no further outcome will come.
    func end() {
        let waiter = state.withLock { state in
            state.isOver = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Returns the outcomes that were not taken, without waiting.
    func take() -> [Settled] {
        state.withLock { state in
            defer { state.fresh = [] }
            return state.fresh
        }
    }

    /// Waits for outcomes; `nil` if no further outcome will come. One task calls it.
    func next() async -> [Settled]? {
        await withCheckedContinuation { waiter in
            let isReady = state.withLock { state in
                if !state.fresh.isEmpty || state.isOver { return true }
                state.waiter = waiter
                return false
            }
            if isReady { waiter.resume() }
        }
        let outcomes = take()
        return outcomes.isEmpty ? nil : outcomes
    }
}
