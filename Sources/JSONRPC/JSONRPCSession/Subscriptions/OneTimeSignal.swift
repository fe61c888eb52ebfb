// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// An outcome that tasks wait for. Each wait can be cancelled by itself.
final class OneTimeSignal: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var outcome: Result<Void, any Error>?
        var waiters: [UInt64: Waiter] = [:]
        /// The waiters that were cancelled before they were registered.
        var cancelled: Set<UInt64> = []
        var nextID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Sets the outcome, and resumes the waiting tasks. The first outcome wins.
    func fulfil(_ outcome: Result<Void, any Error>) {
        let waiters = state.withLock { state -> [Waiter] in
            guard state.outcome == nil else { return [] }
            state.outcome = outcome
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: outcome) }
    }

    /// Waits for the outcome.
    ///
    /// - Throws: The error of the outcome; a `CancellationError` as soon as the task is cancelled.
    func wait() async throws {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        // The cancellation handler has ended when this call returns, so the entry can be removed.
        defer { if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(id) } } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if let outcome = state.outcome { return outcome }
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    state.waiters[id] = waiter
                    return nil
                }
                if let outcome { waiter.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let waiter = state.waiters.removeValue(forKey: id) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }
}
