// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import Synchronization
import TaskWaits
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
        /// The tasks that wait until this is over.
        var waits = ConditionWaits<Bool>()

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
        let waits = state.withLock { state in
            change(&state)
            return state.waits.takeMet(by: state.isOver)
        }
        waits.resume(returning: true)
    }

    /// Returns when the listener has stopped and its last session has ended, or when the task is cancelled.
    func untilOver() async {
        guard let wait = state.withLock({ $0.isOver ? nil : $0.waits.add { $0 } }) else { return }
        defer { state.withLock { $0.waits.remove(wait) } }
        _ = try? await wait.value()
    }
}
