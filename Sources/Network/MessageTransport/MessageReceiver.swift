// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The receiver of a transport's messages and events. A transport calls it from one thread at a time, in order.
///
/// The calls are made on the transport's own thread, so they must return quickly and must not block. They may call the
/// transport.
public protocol MessageReceiver: AnyObject, Sendable {
    /// Called when the connection is established. It is the first call, and is made before `connect(receiver:)`
    /// returns.
    func transportOpened(_ transport: any MessageTransport)

    /// Called before messages that were read together. The receiver may postpone its work for each message until
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

    /// Makes a message.
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
    /// The reason in the closing handshake; empty if there was none. It is raw text if the peer sent it. With the
    /// initiator `Initiator.failure`, it is a sentence of this side that says what the peer violated or exceeded.
    public var reason: String
    /// The error that ended the connection, if there was one. It becomes the cause of the errors of calls in flight.
    /// With the initiator `Initiator.failure`, a `ClientError` gives them its code, message and cause instead.
    public var error: (any Error)?
    /// The first position that was not written to the socket. The peer has not seen messages with this or a higher
    /// ticket.
    public var unsentFrom: OutboxTicket

    /// Makes a closure.
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
