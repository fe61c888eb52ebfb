// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// One WebSocket connection (RFC 6455), from its opening handshake to its end. It is made once and never reconnects.
///
/// All methods may be called from any thread. What comes from the peer goes to the ``WebSocketHandler``.
public final class WebSocketConnection: Sendable {
    /// Names the connection to its service thread.
    let id: UInt64
    let thread: LWSServiceThread
    /// What the connection was made with.
    public let configuration: WebSocketConfiguration
    /// A leaf lock: nothing is called and nothing else is locked while it is held.
    private let outbox: Mutex<Outbox>
    private let agreement = Mutex<(subprotocol: String?, tlsVersion: String?)>((nil, nil))
    /// The service thread's mailbox names this connection among those that have something to write.
    private let isMarked = Atomic<Bool>(false)

    private static let nextID = Atomic<UInt64>(1)

    init(configuration: WebSocketConfiguration, thread: LWSServiceThread, isClient: Bool) {
        id = Self.nextID.wrappingAdd(1, ordering: .relaxed).oldValue
        self.configuration = configuration
        self.thread = thread
        outbox = Mutex(Outbox(isMasked: isClient, lowWaterBytes: configuration.lowWaterBytes))
    }

    /// The subprotocol both sides agreed on.
    public var subprotocol: String? { agreement.withLock { $0.subprotocol } }

    /// The version of TLS, such as `TLSv1.3`; `nil` on a connection without TLS.
    public var tlsVersion: String? { agreement.withLock { $0.tlsVersion } }

    // MARK: Sending

    /// What ``enqueue(_:isBinary:)`` did with a message.
    package enum EnqueueOutcome: Sendable, Hashable {
        /// It is in the outbox; when `mustWake`, the caller calls ``wake()`` soon.
        ///
        /// The position is the count of outbox bytes before the message, in the connection's life.
        case queued(position: UInt64, mustWake: Bool)
        /// The connection is closing or closed: nothing of it will be sent.
        case refused
    }

    /// Puts one message, the concatenation of `pieces`, at the end of the outbox.
    ///
    /// It may be called under a lock: it takes one lock which waits for nothing else, and calls nobody. The outbox
    /// grows without limit; ``queuedByteCount`` tells its size.
    package func enqueue(
        _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>, isBinary: Bool = false
    ) -> EnqueueOutcome {
        outcome(outbox.withLock { unsafe $0.append(pieces, opcode: isBinary ? .binary : .text) })
    }

    /// The same, without a look at the bytes: the connection keeps the arrays until the service thread has written the
    /// message, and frames and masks each fragment just before it is written. It takes the same short time for a message
    /// of any length.
    package func enqueue(sharing pieces: [ArraySlice<UInt8>], isBinary: Bool = false) -> EnqueueOutcome {
        outcome(outbox.withLock { $0.append(sharing: pieces, opcode: isBinary ? .binary : .text) })
    }

    @inline(__always)
    private func outcome(_ result: Outbox.AppendResult) -> EnqueueOutcome {
        switch result {
        case .queued(let position, let mustWake): return .queued(position: position, mustWake: mustWake)
        case .refused: return .refused
        }
    }

    /// Starts writing. Called without a lock, after an ``enqueue(_:isBinary:)`` that said so.
    package func wake() {
        if let context = thread.currentContext {
            context.messagesEnqueued(id)
        } else if !isMarked.exchange(true, ordering: .acquiringAndReleasing) {
            thread.markWritable(id)
        }
    }

    /// Takes a message back. True when it was still in the outbox: then none of its bytes will be sent.
    package func withdraw(_ position: UInt64) -> Bool {
        outbox.withLock { $0.withdraw(position) }
    }

    /// The bytes, frame headers included, which are accepted and not yet given to the socket.
    public var queuedByteCount: Int { outbox.withLock { $0.queuedBytes } }

    /// Sends a text message.
    /// - Throws: ``WebSocketError/Code/closing``.
    public func send(text: String) throws(WebSocketError) {
        var text = text
        try check(text.withUTF8 { unsafe enqueue(UnsafeRawBufferPointer($0), isBinary: false) })
    }

    /// Sends a binary message.
    /// - Throws: ``WebSocketError/Code/closing``.
    public func send(binary bytes: [UInt8]) throws(WebSocketError) {
        guard bytes.count <= Outbox.sharingThreshold else {
            return try check(enqueue(sharing: [bytes[...]], isBinary: true))
        }
        unsafe try check(bytes.withUnsafeBytes { unsafe enqueue($0, isBinary: true) })
    }

    @unsafe private func enqueue(_ bytes: UnsafeRawBufferPointer, isBinary: Bool) -> EnqueueOutcome {
        unsafe withUnsafePointer(to: bytes) { pointer in
            unsafe enqueue(UnsafeBufferPointer(start: pointer, count: 1), isBinary: isBinary)
        }
    }

    private func check(_ outcome: EnqueueOutcome) throws(WebSocketError) {
        switch outcome {
        case .queued(_, let mustWake): if mustWake { wake() }
        case .refused: throw WebSocketError(.closing, "The connection is closing or closed.")
        }
    }

    // MARK: Flow and end

    /// Stops, or starts again, to read from the peer.
    ///
    /// While it is stopped nothing comes through, neither the peer's PINGs and CLOSE nor PONGs: a peer with a short
    /// ping time-out will hang up. After ``WebSocketConfiguration/maximumReadSuspension`` reading goes on by itself, and
    /// as soon as the connection closes, which the peer has to answer.
    public func setReading(_ isReading: Bool) {
        _ = thread.post(.setReading(id, isReading))
    }

    /// Sends what is in the outbox, then does the closing handshake, then closes; when `deadline` is over, closes
    /// without. Returns at once: ``WebSocketHandler/closed(_:)`` tells the end.
    ///
    /// The first call counts; a later one can only shorten the deadline. No message is accepted from now on.
    ///
    /// RFC 6455 §7.4 lets 1000 to 1003, 1007 to 1014 and 3000 to 4999 be sent; 1000 is sent in place of any other code.
    /// Of `reason` as many whole characters are sent as fit into 123 bytes of UTF-8. The ``WebSocketClosure`` says what
    /// was sent.
    public func close(
        code: WebSocketCloseCode = .normalClosure, reason: String = "", deadline: Duration = .seconds(5)
    ) {
        outbox.withLock { $0.close() }
        _ = thread.post(.close(id, code: code.rawValue, reason: reason, deadline: deadline))
    }
}

// MARK: For the service thread

extension WebSocketConnection {
    /// The opening handshake is done.
    func opened(subprotocol: String?, tlsVersion: String?) {
        agreement.withLock { $0 = (subprotocol, tlsVersion) }
    }

    /// The service thread has found the connection in its mailbox. What was enqueued by one who saw it marked can be
    /// taken from the outbox after this.
    func clearMark() {
        _ = isMarked.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Moves what is queued to an empty buffer. False when nothing is.
    func takeOutbox(into buffer: inout FrameBuffer) -> Bool {
        outbox.withLock { $0.handOver(to: &buffer) }
    }

    /// Notes that bytes are given to the socket. True when the queue has fallen to the low-water mark.
    func handed(bytes: Int, endPosition: UInt64) -> Bool {
        outbox.withLock { $0.handed(bytes: bytes, endPosition: endPosition) }
    }

    /// Accepts no more messages.
    func closeOutbox() {
        outbox.withLock { $0.close() }
    }

    /// Accepts no more messages, and tells from which position on none was given to the socket.
    func endOutbox() -> UInt64 {
        outbox.withLock { outbox in
            outbox.close()
            return outbox.handedPosition
        }
    }
}
