// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A connection that carries whole messages in both directions, in order.
///
/// A transport owns an *outbox*: the bytes that it accepted and has not yet written to the socket. The session enqueues
/// messages while it holds its lock, so that the order of ids is the order on the wire. Therefore ``enqueue(_:)``,
/// ``enqueue(sharing:)``, ``withdraw(_:)``, ``queuedByteCount`` and ``setReading(_:)`` must return at once and must not
/// call the receiver. They may only take a lock under which nothing blocks.
///
/// A transport cannot be opened again: after ``MessageReceiver/transportClosed(_:)`` it sends and delivers nothing.
public protocol MessageTransport: AnyObject, Sendable {
    /// Appends one message, the concatenation of `pieces`, to the outbox. The pieces are only valid during the call.
    ///
    /// The outbox has no limit of its own. The session limits it by ``queuedByteCount``.
    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome

    /// Appends one long message, the concatenation of `pieces`, to the outbox without reading its bytes. The transport
    /// keeps the arrays and reads them when it sends the message.
    ///
    /// The session enqueues messages above 16 KiB in this way, so that they do not extend its critical section. The
    /// transport must not change the arrays. The default implementation copies the bytes and calls ``enqueue(_:)``.
    func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome

    /// Starts writing. It is called without a lock, after an ``enqueue(_:)`` that returned `mustWake`.
    func wake()

    /// Removes a message from the outbox. If it was still there, returns `true`, and none of its bytes are sent.
    func withdraw(_ ticket: OutboxTicket) -> Bool

    /// The bytes in the outbox and in the transport's own write buffers.
    var queuedByteCount: Int { get }

    /// Stops or resumes reading from the peer. Stop only briefly: a stopped transport may not answer PINGs.
    func setReading(_ isReading: Bool)

    /// Delivers the messages that have already arrived, and then calls a closure, once and from any thread.
    ///
    /// The session calls it, without a lock, when the deadline of a call has passed. If the process was stopped or the
    /// machine was asleep, the response may already be in the socket. Transports whose reading is stopped or has ended
    /// call the closure at once, as the default implementation does.
    func afterReading(_ action: @escaping @Sendable () -> Void)

    /// Sends the messages in the outbox, performs the closing handshake, and closes the connection. It returns at once.
    /// ``MessageReceiver/transportClosed(_:)`` reports the end. It is called without a lock.
    ///
    /// The first call wins, but a later call may shorten the deadline.
    ///
    /// - Parameters:
    ///   - code: The close code (RFC 6455 §7.4).
    ///   - reason: The reason that the peer gets.
    ///   - deadline: The time after which the connection is closed without a handshake.
    func close(code: UInt16, reason: String, deadline: Duration)
}

extension MessageTransport {
    public func afterReading(_ action: @escaping @Sendable () -> Void) { action() }

    public func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome {
        unsafe [UInt8](concatenating: pieces).withUnsafeBytes { bytes in
            unsafe withUnsafePointer(to: bytes) { unsafe enqueue(UnsafeBufferPointer(start: $0, count: 1)) }
        }
    }
}

extension [UInt8] {
    @inlinable package init(concatenating pieces: some Collection<some Collection<UInt8>>) {
        self = []
        reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { append(contentsOf: piece) }
    }
}

/// A transport with the additional functions that a scripted peer needs.
package protocol PeerTransport: MessageTransport {
    /// Appends one binary message to the outbox. It keeps the array, as ``MessageTransport/enqueue(sharing:)`` does.
    func enqueue(binary bytes: [UInt8]) -> EnqueueOutcome

    /// Sends the messages in the outbox, and ends the connection in the same way as another connection ended.
    ///
    /// It differs from ``MessageTransport/close(code:reason:deadline:)`` in two codes: for 1005, the CLOSE frame has no
    /// code, and for 1006, the connection ends without a CLOSE frame.
    func end(code: UInt16, reason: String, deadline: Duration)
}

/// The position of a message in a transport's outbox. The tickets of one transport are ascending.
public struct OutboxTicket: Sendable, Hashable, Comparable {
    /// The number of bytes that the outbox accepted before the message, since the connection was opened.
    public var position: UInt64

    public init(position: UInt64) { self.position = position }

    public static func < (left: OutboxTicket, right: OutboxTicket) -> Bool { left.position < right.position }
}

/// The result of enqueuing a message.
public enum EnqueueOutcome: Sendable, Hashable {
    /// The message is in the outbox. If `mustWake` is `true`, the caller must call ``MessageTransport/wake()`` after it
    /// releases its locks.
    case queued(OutboxTicket, mustWake: Bool)
    /// The transport is closing or closed, and does not send the message.
    case refused
}

/// The receiver of a transport's messages and events. A transport calls it from one thread at a time, in order.
///
/// The calls are made on the transport's own thread, so they must return quickly and must not block. They may call the
/// transport.
public protocol MessageReceiver: AnyObject, Sendable {
    /// Called when the connection is established. It is the first call, and is made before `connect(receiver:)`
    /// returns.
    func transportOpened(_ transport: any MessageTransport)

    /// Called before messages that were read together. The receiver may postpone its work for these messages until
    /// ``readEnded()``.
    ///
    /// The call is optional. If a transport makes it, ``readEnded()`` must follow soon, and before
    /// ``transportClosed(_:)``.
    func readBegan()

    /// Called after the messages that were read together.
    func readEnded()

    /// Called with one whole message.
    func messageReceived(_ message: InboundMessage)

    /// Called when ``MessageTransport/queuedByteCount`` falls to the low-water mark or below.
    func outboxDrained()

    /// Called when the peer answers a liveness probe, with the round-trip time.
    func roundTripMeasured(_ duration: Duration)

    /// Called when the connection is closed by either side. It is the last call, and is made once.
    func transportClosed(_ closure: TransportClosure)
}

extension MessageReceiver {
    public func readBegan() {}
    public func readEnded() {}
}

/// A message from the peer.
public struct InboundMessage {
    /// The bytes of a message, and their owner.
    @safe public enum Content {
        /// A buffer of the transport. It is valid only during the call.
        case borrowed(UnsafeRawBufferPointer)
        /// An array that the receiver may keep without copying.
        case owned([UInt8])
    }

    /// The bytes.
    public var content: Content
    /// Whether this is a binary message and not a text message.
    public var isBinary: Bool

    /// The bytes as an array. Borrowed bytes are copied.
    public var bytes: [UInt8] {
        switch content {
        case .borrowed(let buffer): unsafe Array(buffer)
        case .owned(let bytes): bytes
        }
    }

    public init(content: Content, isBinary: Bool) {
        self.content = content
        self.isBinary = isBinary
    }
}

/// The end of a connection.
public struct TransportClosure: Sendable {
    /// The side that ended a connection.
    public enum Initiator: Sendable, Hashable {
        /// This side closed it, by ``MessageTransport/close(code:reason:deadline:)``.
        case local
        /// The peer closed it, with a closing handshake.
        case remote
        /// The connection failed: a reset, an end of file, an unanswered liveness probe or a protocol violation.
        /// `error` holds the reason.
        case failure
    }

    /// The side that ended the connection.
    public var initiator: Initiator
    /// The close code (RFC 6455 §7.4). It is 1005 or 1006 if there was none.
    public var code: UInt16
    /// The reason in the closing handshake, or an empty string if there was none. It is raw text if the peer sent it.
    /// With the initiator `Initiator.failure`, it is a sentence of this side that names the violation or limit.
    public var reason: String
    /// The error that ended the connection, if there was one. It becomes the cause of the errors of calls in flight.
    /// With the initiator `Initiator.failure`, they take code, message and cause from a `ClientError` instead.
    public var error: (any Error)?
    /// The first position that was not written to the socket. The peer has not seen messages with this or a higher
    /// ticket.
    public var unsentFrom: OutboxTicket

    public init(
        initiator: Initiator, code: UInt16, reason: String, error: (any Error)? = nil, unsentFrom: OutboxTicket
    ) {
        self.initiator = initiator
        self.code = code
        self.reason = reason
        self.error = error
        self.unsentFrom = unsentFrom
    }
}

/// A maker of connections. A client calls it for each new connection.
public protocol MessageConnector: Sendable {
    /// Makes a connection. If the task is cancelled, the attempt is cancelled.
    ///
    /// The receiver gets ``MessageReceiver/transportOpened(_:)`` before the function returns, and no calls if it
    /// throws.
    ///
    /// - Parameter receiver: Gets the messages and events of the connection.
    /// - Throws: The reason of the failure, a ``ConnectError`` if possible, or a `CancellationError`.
    func connect(receiver: any MessageReceiver) async throws
}

/// An error of a ``MessageConnector`` that indicates whether another attempt to connect may succeed.
///
/// It determines `ClientError.isRetryable` of a failed attempt to connect. Errors that do not conform are not
/// retryable.
public protocol ConnectError: Error {
    /// Whether the same attempt may succeed later. It is `true` for a refused connection, and `false` for a malformed
    /// URL.
    var isRetryable: Bool { get }
    /// The time that the server asks clients to wait (RFC 9110 §10.2.3), or `nil` if it does not ask. The default is
    /// `nil`.
    var retryAfter: Duration? { get }
}

extension ConnectError {
    public var retryAfter: Duration? { nil }
}
