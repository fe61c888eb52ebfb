// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import Synchronization
import TaskWaits

/// The calls of a client that have not ended, and whether the client accepts more.
struct OpenCalls: Sendable {
    enum Phase { case open, closing, closed }

    var phase = Phase.open
    fileprivate var count = 0
    fileprivate var waits: Set<CancellableWait<Void>> = []
}

extension Poster {
    /// Whether the calls that have not ended must end now.
    var isClosed: Bool { calls.withLock { $0.phase == .closed } }

    /// Begins a call.
    ///
    /// - Throws: A `ClientError` with the code `closed` if no more calls are accepted.
    func enter() throws {
        let isOpen = calls.withLock { calls in
            guard calls.phase == .open else { return false }
            calls.count += 1
            return true
        }
        if !isOpen { throw ClientError.closed(.notSent) }
    }

    func leave() {
        let waits = calls.withLock { calls -> Set<CancellableWait<Void>> in
            calls.count -= 1
            guard calls.count == 0, !calls.waits.isEmpty else { return [] }
            defer { calls.waits = [] }
            return calls.waits
        }
        for wait in waits { wait.resume() }
    }

    /// Waits until all calls have ended, or the task is cancelled.
    func callsEnded() async {
        let wait = CancellableWait<Void>()
        let isOver = calls.withLock { calls in
            if calls.count > 0 { calls.waits.insert(wait) }
            return calls.count == 0
        }
        if isOver { return }
        do { try await wait.value() } catch { _ = calls.withLock { $0.waits.remove(wait) } }
    }
}

extension ClientError {
    static func closed(_ delivery: ClientError.Delivery) -> ClientError {
        ClientError(.closed, "The client was closed.", delivery: delivery)
    }
}
