// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import Synchronization
import TaskWaits

/// The calls of a client that have not ended, and whether the client accepts more.
final class OpenCalls: Sendable {
    private enum Phase { case open, closing, closed }

    private struct State {
        var phase = Phase.open
        var count = 0
        /// The waits for the end of all calls.
        var waits: Set<CancellableWait<Void>> = []
    }

    private let state = Mutex(State())

    /// Whether the calls that have not ended must end now.
    var isClosed: Bool { state.withLock { $0.phase == .closed } }

    /// Begins a call.
    ///
    /// - Throws: A `ClientError` with the code `closed` if no more calls are accepted.
    func enter() throws {
        let isOpen = state.withLock { state in
            guard state.phase == .open else { return false }
            state.count += 1
            return true
        }
        if !isOpen { throw ClientError.closed(.notSent) }
    }

    /// Ends a call.
    func leave() {
        let waits = state.withLock { state -> Set<CancellableWait<Void>> in
            state.count -= 1
            guard state.count == 0, !state.waits.isEmpty else { return [] }
            defer { state.waits = [] }
            return state.waits
        }
        for wait in waits { wait.resume() }
    }

    /// Accepts no more calls.
    func beginClosing() { state.withLock { if $0.phase == .open { $0.phase = .closing } } }

    /// Accepts no more calls, and lets no POST begin.
    func close() { state.withLock { $0.phase = .closed } }

    /// Waits until all calls have ended, or the task is cancelled.
    func end() async {
        let wait = CancellableWait<Void>()
        let isOver = state.withLock { state in
            if state.count > 0 { state.waits.insert(wait) }
            return state.count == 0
        }
        if isOver { return }
        do { try await wait.value() } catch { _ = state.withLock { $0.waits.remove(wait) } }
    }
}

extension ClientError {
    static func closed(_ delivery: ClientError.Delivery) -> ClientError {
        ClientError(.closed, "The client was closed.", delivery: delivery)
    }
}
