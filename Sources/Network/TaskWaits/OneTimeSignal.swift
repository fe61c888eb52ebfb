// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// An outcome that tasks wait for. Each wait can be cancelled by itself.
package final class OneTimeSignal: Sendable {
    private struct State {
        var outcome: Result<Void, any Error>?
        var waits: Set<CancellableWait<Void>> = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of tasks that wait.
    package var waitingCount: Int { state.withLock { $0.waits.count } }

    /// Sets the outcome, and resumes the waiting tasks. The first outcome wins. It must not be called under a lock.
    package func fulfil(_ outcome: Result<Void, any Error> = .success(())) {
        let waits = state.withLock { state -> Set<CancellableWait<Void>> in
            guard state.outcome == nil else { return [] }
            state.outcome = outcome
            defer { state.waits = [] }
            return state.waits
        }
        for wait in waits { wait.resume(with: outcome) }
    }

    /// Waits for the outcome.
    ///
    /// - Throws: The error of the outcome; a `CancellationError` as soon as the task is cancelled.
    package func wait() async throws {
        let wait = CancellableWait<Void>()
        let outcome = state.withLock { state in
            if state.outcome == nil { state.waits.insert(wait) }
            return state.outcome
        }
        if let outcome { return try outcome.get() }
        defer { state.withLock { _ = $0.waits.remove(wait) } }
        try await wait.value()
    }
}
