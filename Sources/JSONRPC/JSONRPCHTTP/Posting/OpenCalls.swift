// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import Synchronization

/// The calls of a client that have not ended, and whether the client accepts more.
final class OpenCalls: Sendable {
    private typealias Waiter = CheckedContinuation<Void, Never>

    private enum Phase { case open, closing, closed }

    private struct State {
        var phase = Phase.open
        var count = 0
        var lastNumber: UInt64 = 0
        /// Tasks that wait for the end of all calls.
        var waiters: [UInt64: Waiter] = [:]
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
        let waiters = state.withLock { state -> Dictionary<UInt64, Waiter>.Values? in
            state.count -= 1
            guard state.count == 0, !state.waiters.isEmpty else { return nil }
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters ?? [:].values { waiter.resume() }
    }

    /// Accepts no more calls.
    func beginClosing() { state.withLock { if $0.phase == .open { $0.phase = .closing } } }

    /// Accepts no more calls, and lets no POST begin.
    func close() { state.withLock { $0.phase = .closed } }

    /// Waits until all calls have ended, or the task is cancelled.
    func end() async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isOver = state.withLock { state in
                    // A cancellation after this line finds the waiter.
                    if state.count == 0 || Task.isCancelled { return true }
                    state.waiters[number] = waiter
                    return false
                }
                if isOver { waiter.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.resume()
        }
    }
}

extension ClientError {
    static func closed(_ delivery: Delivery) -> ClientError {
        ClientError(.closed, "The client was closed.", delivery: delivery)
    }
}
