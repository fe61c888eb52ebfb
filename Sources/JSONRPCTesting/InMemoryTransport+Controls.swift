// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import JSONRPCSession
import Synchronization

/// How a test steers an end, and sees into it. All of it may be called from anywhere.
extension InMemoryTransport {
    // MARK: Sending without a session

    /// Sends a text message. It goes through the outbox behind what is there.
    ///
    /// - Parameters:
    ///   - text: the message.
    ///   - inFragments: whether the receiver is to get it as it gets a message that came in several frames.
    /// - Returns: false when the connection is closing or closed.
    @discardableResult
    public func send(_ text: String, inFragments: Bool = false) -> Bool {
        send(Array(text.utf8), isBinary: false, inFragments: inFragments)
    }

    /// Sends bytes as one message, also such as are no JSON, or no UTF-8.
    ///
    /// - Returns: false when the connection is closing or closed.
    @discardableResult
    public func send(_ bytes: [UInt8], isBinary: Bool, inFragments: Bool = false) -> Bool {
        guard case .queued = enqueue([bytes[...]], isBinary: isBinary, isAssembled: inFragments) else { return false }
        schedule()
        return true
    }

    // MARK: Holding

    /// Keeps what is in the outbox there: it counts as not sent, and can be withdrawn.
    public func holdOutbox() { state.withLock { $0.allowance = 0 } }

    /// Lets everything go again.
    public func releaseOutbox() {
        state.withLock { $0.allowance = nil }
        schedule()
    }

    /// Lets this many messages go, and holds those behind them.
    public func releaseOutbox(messages: Int) {
        state.withLock { $0.allowance = max(0, messages) }
        schedule()
    }

    /// Keeps what arrives at this end from its receiver: it counts as sent at the other end. A closing handshake
    /// goes unanswered, too.
    public func holdInbox() { state.withLock { $0.isInboxHeld = true } }

    /// Delivers what has arrived, and what will.
    public func releaseInbox() {
        state.withLock { $0.isInboxHeld = false }
        schedule()
    }

    // MARK: Seeing

    /// What the receiver last asked for with `setReading(_:)`; true at first.
    public var isReading: Bool { state.withLock { $0.isReading } }

    /// True once the receiver has been, or is about to be, told of the end.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Waits until the outbox holds as many bytes as the closure wants. The bytes are those of
    /// ``queuedByteCount``; the closure must only compare. Wants a time limit on the test.
    public func waitForOutbox(until isContent: @escaping @Sendable (_ bytes: Int) -> Bool) async {
        await withCheckedContinuation { observer in
            state.withLock { $0.observers.append((isContent, observer)) }
            queue.async { self.tellObservers() }
        }
    }

    // MARK: Events

    /// Cuts the connection: both receivers are told of a failure with code 1006.
    ///
    /// This end is cut at once, and its outbox counts as not sent.
    ///
    /// - Parameters:
    ///   - discardingUndelivered: whether the other end loses what it has not delivered to its receiver yet. If not,
    ///     it delivers that first.
    ///   - error: what both are told.
    public func dropConnection(discardingUndelivered: Bool = false, error: (any Error)? = nil) {
        queue.async {
            if discardingUndelivered { self.state.withLock { $0.peer }?.discardInbox() }
            self.finish(initiator: .failure, code: 1006, reason: "", error: error, tellingPeer: .drop(error))
        }
    }

    /// Tells this end's receiver that a liveness probe was answered after `duration`.
    public func measureRoundTrip(_ duration: Duration) {
        queue.async {
            self.state.withLock { $0.isClosed ? nil : $0.receiver }?.roundTripMeasured(duration)
        }
    }

    private func discardInbox() {
        state.withLock { state in
            state.inbox.removeAll()
            state.inboxBytes = 0
            state.isInboxHeld = false
            state.isReading = true
        }
    }
}

extension InMemoryTransport {
    /// Returns when all that was to be done on the queue so far has been done.
    package func queueIsIdle() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
