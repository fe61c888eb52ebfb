// swift-jsonrpc · SPDX-License-Identifier: MIT

@_exported public import MessageTransport
@_exported public import Sockets
import Synchronization

/// A WebSocket connection (RFC 6455), from its opening handshake to its end. It never reconnects.
///
/// All methods can be called from any thread. A `MessageReceiver` gets messages and events. A connection is a
/// `MessageTransport`: each message that is enqueued is one text message.
public final class WebSocketConnection: PeerTransport {
    /// The number that identifies the connection on the service thread.
    let id: UInt64
    let thread: LWSServiceThread
    /// The options with which the connection was made.
    public let configuration: WebSocketConfiguration
    /// The subprotocol that both sides agreed on, or `nil` if they agreed on none.
    public let subprotocol: String?
    /// The version of TLS, such as `TLSv1.3`, or `nil` without TLS.
    public let tlsVersion: String?
    /// The outbox. Its lock is a leaf lock: no other code is called and no other lock is taken while it is held.
    let outbox: Mutex<Outbox>
    /// Whether the service thread's mailbox already contains this connection because of messages to write.
    let isMarked = Atomic<Bool>(false)

    init(
        id: UInt64, configuration: WebSocketConfiguration, thread: LWSServiceThread, isMasked: Bool,
        subprotocol: String?, tlsVersion: String?
    ) {
        self.id = id
        self.subprotocol = subprotocol
        self.tlsVersion = tlsVersion
        self.configuration = configuration
        self.thread = thread
        outbox = Mutex(
            Outbox(
                isMasked: isMasked, lowWaterBytes: configuration.lowWaterBytes,
                coalesces: configuration.coalescesMessages))
    }

    // MARK: Sending

    /// Appends one text message, the concatenation of `pieces`, to the outbox.
    ///
    /// The method can be called while a lock is held, because it only takes a leaf lock and calls no other code. The
    /// outbox grows without limit. ``queuedByteCount`` is its size. The ticket's position includes frame headers.
    public func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        outbox.withLock { unsafe $0.append(pieces, opcode: .text) }
    }

    /// Appends one text message without reading its bytes. The connection keeps the arrays until the service thread has
    /// written the message, and frames and masks each fragment just before it is written. The method takes the same
    /// short time for a message of any length.
    public func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome {
        outbox.withLock { $0.append(sharing: pieces, opcode: .text) }
    }

    package func enqueue(binary bytes: [UInt8]) -> EnqueueOutcome {
        outbox.withLock { $0.append(sharing: [bytes[...]], opcode: .binary) }
    }

    /// Starts writing. The caller calls it after an enqueuing method returned `mustWake`, and must not hold a lock.
    public func wake() {
        if let context = thread.currentContext {
            context.messagesEnqueued(id)
        } else if !isMarked.exchange(true, ordering: .acquiringAndReleasing) {
            thread.markWritable(id)
        }
    }

    /// Withdraws a message. Returns `true` if it was still in the outbox. In that case, none of its bytes are sent.
    public func withdraw(_ ticket: OutboxTicket) -> Bool {
        outbox.withLock { $0.withdraw(ticket.position) }
    }

    /// The number of queued bytes that were not given to the socket yet, including frame headers.
    public var queuedByteCount: Int { outbox.withLock { $0.queuedBytes } }

    /// Sends a text message.
    ///
    /// The method returns when the message is queued. The queue has no limit (see ``queuedByteCount``).
    ///
    /// - Throws: ``WebSocketError`` with the code ``WebSocketError/Code/closing``.
    public func send(text: String) throws(WebSocketError) {
        var text = text
        try check(text.withUTF8 { unsafe enqueue(UnsafeRawBufferPointer($0), .text) })
    }

    /// Sends a binary message.
    ///
    /// The method returns when the message is queued. The queue has no limit (see ``queuedByteCount``).
    ///
    /// - Throws: ``WebSocketError`` with the code ``WebSocketError/Code/closing``.
    public func send(binary bytes: [UInt8]) throws(WebSocketError) {
        guard bytes.count <= Outbox.sharingThreshold else { return try check(enqueue(binary: bytes)) }
        unsafe try check(bytes.withUnsafeBytes { unsafe enqueue($0, .binary) })
    }

    @unsafe private func enqueue(_ bytes: UnsafeRawBufferPointer, _ opcode: Opcode) -> EnqueueOutcome {
        unsafe withUnsafePointer(to: bytes) { pointer in
            outbox.withLock { unsafe $0.append(UnsafeBufferPointer(start: pointer, count: 1), opcode: opcode) }
        }
    }

    private func check(_ outcome: EnqueueOutcome) throws(WebSocketError) {
        switch outcome {
        case .queued(_, let mustWake): if mustWake { wake() }
        case .refused:
            throw WebSocketError(.closing, "Could not send the message: the connection is closing or closed.")
        }
    }

    // MARK: Flow and end

    /// Suspends or resumes reading from the peer.
    ///
    /// While reading is suspended, the peer's PINGs are not answered, and its PONGs and CLOSE are not seen. A peer with
    /// a short ping timeout may then close the connection. Reading resumes automatically after
    /// ``WebSocketConfiguration/maximumReadSuspension``, and when the connection is closing.
    ///
    /// - Parameter isReading: `false` to suspend, `true` to resume.
    public func setReading(_ isReading: Bool) {
        post { $0.setReading(isReading) }
    }

    /// Reads the bytes that have already arrived, delivers their messages, and calls a closure, all on the service
    /// thread.
    ///
    /// Nothing is read while reading is suspended, or if the connection has ended. If the service thread has ended, the
    /// closure is called at once.
    public func afterReading(_ action: @escaping @Sendable () -> Void) {
        let id = id
        thread.post(
            LoopCommand { context in
                context.connection(id)?.readArrived()
                context.endReads()
                action()
            } refuse: { _ in
                action()
            })
    }

    /// Sends the queued messages, does the closing handshake, and closes the connection.
    ///
    /// The method returns at once. `MessageReceiver.transportClosed(_:)` reports the end. The connection accepts no
    /// more messages. The code and the reason of the first call win. A later call can only shorten the deadline.
    ///
    /// - Parameters:
    ///   - code: The close code: 1000 to 1003, 1007 to 1014, or 3000 to 4999 (RFC 6455 §7.4). Any other code becomes
    ///     1000, the default.
    ///   - reason: The reason, truncated between characters to 123 bytes of UTF-8. The default is empty.
    ///   - deadline: The time limit for sending and for the handshake. After it, the connection is closed without a
    ///     handshake. The default is 5 seconds.
    public func close(
        code: WebSocketCloseCode = .normalClosure, reason: String = "", deadline: Duration = .seconds(5)
    ) {
        close(code.rawValue, reason, isRelayed: false, deadline)
    }

    /// The same with the number of the close code, as `MessageTransport` requires.
    public func close(code: UInt16, reason: String, deadline: Duration) {
        close(code, reason, isRelayed: false, deadline)
    }

    package func end(code: UInt16, reason: String, deadline: Duration) {
        close(code, reason, isRelayed: true, deadline)
    }

    private func close(_ code: UInt16, _ reason: String, isRelayed: Bool, _ deadline: Duration) {
        outbox.withLock { $0.close() }
        post {
            ($0 as? WebSocketDriver)?.close(code: code, reason: reason, isRelayed: isRelayed, deadline: deadline)
        }
    }

    /// Runs an action with the driver, on the service thread. A connection that has ended has no driver.
    private func post(_ action: @escaping @Sendable (any LoopConnection) -> Void) {
        let id = id
        thread.post(LoopCommand { context in context.connection(id).map(action) })
    }
}

/// Closures around the first and the last call of a connection's receiver. They are called on the service thread and
/// must not block.
package struct ConnectionHooks: Sendable {
    /// Called before the receiver is notified of the connection.
    package var opened: (@Sendable (WebSocketConnection) -> Void)?
    /// Called when the connection has ended. It must call its argument, which notifies the receiver.
    package var closed: @Sendable (_ tellReceiver: () -> Void) -> Void

    package init(
        opened: (@Sendable (WebSocketConnection) -> Void)? = nil,
        closed: @escaping @Sendable (_ tellReceiver: () -> Void) -> Void = { $0() }
    ) {
        self.opened = opened
        self.closed = closed
    }
}
