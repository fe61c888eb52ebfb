// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import Synchronization
import WebSocket

/// The open sessions of a listener, and the tasks that wait until the listener and its sessions have ended.
final class ListenerSessions: Sendable {
    struct Entry: Sendable {
        let session: DuplexSession
        let connection: WebSocketConnection
    }

    private struct State {
        var open: [ObjectIdentifier: Entry] = [:]
        /// The number of sessions that are removed from `open` and are being told that their connection has ended.
        var ending = 0
        var isListening = true
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextID: UInt64 = 0

        /// Removes and returns the waiting tasks if the listener has stopped and its last session has ended.
        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            guard isOver else { return [] }
            defer { waiters = [:] }
            return Array(waiters.values)
        }

        var isOver: Bool { !isListening && open.isEmpty && ending == 0 }
    }

    private let state = Mutex(State())

    var open: [Entry] { state.withLock { Array($0.open.values) } }

    func opened(_ session: DuplexSession, _ connection: WebSocketConnection) {
        state.withLock { $0.open[ObjectIdentifier(session)] = Entry(session: session, connection: connection) }
    }

    /// Removes a session whose connection has ended.
    ///
    /// - Parameter tellSession: The closure that tells the session. It runs after the session was removed from ``open``
    ///   and before ``untilOver()`` returns. So a task that waits for the session does not find it in ``open``, and a
    ///   task that waits for this object finds the session ended.
    func closed(_ session: DuplexSession, tellSession: () -> Void) {
        update {
            $0.open[ObjectIdentifier(session)] = nil
            $0.ending += 1
        }
        tellSession()
        update { $0.ending -= 1 }
    }

    func stoppedListening() {
        update { $0.isListening = false }
    }

    private func update(_ change: (inout sending State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the listener has stopped and its last session has ended, or when the task is cancelled.
    func untilOver() async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.isOver else { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
                // A cancellation before this point found no continuation to resume.
                if Task.isCancelled { giveUp(id) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    private func giveUp(_ id: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
    }
}
