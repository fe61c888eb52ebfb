// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import WireJSON

/// Stores the outcomes of the members of a batch. One task may take them while they arrive.
///
/// It does not end when that task is cancelled, because each member has an outcome then, too.
final class OutcomeInbox: Sendable {
    typealias Outcome = Result<RawJSON, CallError>

    private struct State {
        var outcomes: [Outcome?]
        /// The indices of the outcomes that were not taken, in the order of their arrival.
        var fresh: [Int] = []
        var isOver = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>

    /// Makes a store for this number of members.
    init(count: Int) { state = Mutex(State(outcomes: Array(repeating: nil, count: count))) }

    /// The outcomes of all members that were not taken, by index.
    var outcomes: [Outcome?] { state.withLock { $0.outcomes } }

    /// Stores the outcome of the member at an index.
    func settle(_ index: Int, _ outcome: Outcome) {
        let waiter = state.withLock { state in
            state.outcomes[index] = outcome
            state.fresh.append(index)
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

    /// Waits for outcomes, and takes them; `nil` if no further outcome will come. One task calls it.
    func next() async -> [(index: Int, outcome: Outcome)]? {
        await withCheckedContinuation { waiter in
            let isReady = state.withLock { state in
                if !state.fresh.isEmpty || state.isOver { return true }
                state.waiter = waiter
                return false
            }
            if isReady { waiter.resume() }
        }
        let taken = state.withLock { state in
            defer { state.fresh = [] }
            return state.fresh.compactMap { index in state.outcomes[index].take().map { (index, $0) } }
        }
        return taken.isEmpty ? nil : taken
    }
}
