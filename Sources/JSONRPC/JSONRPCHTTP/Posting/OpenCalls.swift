// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import TaskWaits

/// The calls of a client that have not ended, and whether the client accepts more.
struct OpenCalls: Sendable {
    enum Phase { case open, closing, closed }

    var phase = Phase.open
    fileprivate var count = 0
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
        let isLast = calls.withLock { calls in
            calls.count -= 1
            return calls.count == 0 && calls.phase != .open
        }
        if isLast { calls.notify() }
    }

    /// Waits until all calls have ended, or the task is cancelled. No more calls may be accepted when it is called.
    func callsEnded() async { _ = try? await calls.wait { $0.count == 0 } }
}

extension ClientError {
    static func closed(_ delivery: ClientError.Delivery) -> ClientError {
        ClientError(.closed, "The client was closed.", delivery: delivery)
    }
}
