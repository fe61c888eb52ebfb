// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import JSONRPCSession
import TaskWaits

/// The controls of an end for tests. All of them can be used from any thread.
extension InMemoryTransport {
    // MARK: Sending without a session

    /// Sends a text message as `send(_:isBinary:inFragments:)` sends bytes.
    @discardableResult
    public func send(_ text: String, inFragments: Bool = false) -> Bool {
        send(Array(text.utf8), isBinary: false, inFragments: inFragments)
    }

    /// Sends bytes as one message. They do not have to be JSON or UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: The message. It is appended to the outbox.
    ///   - isBinary: Whether it is a binary message.
    ///   - inFragments: Whether the receiver gets the message as if it had arrived in several frames. The default is
    ///     `false`.
    /// - Returns: `false` if the connection is closing or closed.
    @discardableResult
    public func send(_ bytes: [UInt8], isBinary: Bool, inFragments: Bool = false) -> Bool {
        guard case .queued = enqueue([bytes[...]], isBinary: isBinary, isAssembled: inFragments) else { return false }
        wake()
        return true
    }

    // MARK: Holding

    /// Holds messages in the outbox. They count as not sent, and can be withdrawn.
    public func holdOutbox() { state.withLock { $0.allowance = 0 } }

    /// Sends all held messages, and holds no more.
    public func releaseOutbox() {
        state.withLock { $0.allowance = nil }
        schedule()
    }

    /// Sends a number of messages, and holds the messages after them.
    public func releaseOutbox(messages: Int) {
        state.withLock { $0.allowance = max(0, messages) }
        schedule()
    }

    /// Holds arriving messages, so that this end's receiver does not get them. They count as sent at the other end. A
    /// closing handshake is not answered either.
    public func holdInbox() { state.withLock { $0.isInboxHeld = true } }

    /// Delivers all held messages, and holds no more.
    public func releaseInbox() {
        state.withLock { $0.isInboxHeld = false }
        schedule()
    }

    // MARK: Observing

    /// Whether this end reads: the value of the last call of `setReading(_:)`. It is `true` at first.
    public var isReading: Bool { state.withLock { $0.isReading } }

    /// Whether the connection has ended at this end. The receiver was notified, or is about to be.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Waits until the closure returns `true` for the number of bytes in the outbox (``queuedByteCount``), or this end
    /// is closed.
    ///
    /// - Parameter isContent: The condition. It is called while a lock is held, so it must only compare.
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func waitForOutbox(until isContent: @escaping @Sendable (_ bytes: Int) -> Bool) async throws {
        _ = try await state.wait { $0.isClosed || isContent($0.outbox.queuedBytes) }
    }

    // MARK: Events

    /// Ends the connection without a handshake: both receivers get a failure with the close code 1006.
    ///
    /// This end ends at once. The messages in its outbox count as not sent.
    ///
    /// - Parameters:
    ///   - discardingUndelivered: Whether the other end drops the messages that it has not delivered to its receiver
    ///     yet. Otherwise it delivers them first. The default is `false`.
    ///   - error: The error that both receivers get. The default is `nil`.
    public func dropConnection(discardingUndelivered: Bool = false, error: (any Error)? = nil) {
        queue.async {
            if discardingUndelivered { self.state.withLock { $0.peer }?.discardInbox() }
            self.finish(initiator: .failure, code: 1006, reason: "", error: error, tellingPeer: .drop(error))
        }
    }

    /// Reports a round-trip time to this end's receiver.
    public func measureRoundTrip(_ duration: Duration) {
        queue.async {
            self.state.withLock { $0.receiver }?.roundTripMeasured(duration)
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

    /// Returns when the queue has run all work that was submitted before this call.
    package func queueIsIdle() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
