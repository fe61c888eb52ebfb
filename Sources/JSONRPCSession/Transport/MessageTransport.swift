// swift-jsonrpc · SPDX-License-Identifier: MIT

/// One live connection that carries whole JSON-RPC messages both ways, in order.
///
/// A transport owns an *outbox*: the bytes which are accepted and not yet handed to the socket. The session puts a
/// message there inside its own critical section, so that the order of ids is the order on the wire; for that reason
/// ``enqueue(_:)``, ``enqueue(sharing:)``, ``withdraw(_:)``, ``queuedByteCount`` and ``setReading(_:)`` are called under a
/// lock. They must return at once, must not call the receiver, and may take only a lock which never waits for anything
/// else.
///
/// A transport is one-shot: after ``MessageReceiver/transportClosed(_:)`` nothing comes from it and nothing goes out.
public protocol MessageTransport: AnyObject, Sendable {
    /// Puts one message, the concatenation of `pieces`, at the end of the outbox. The pieces are read before this
    /// returns.
    ///
    /// The outbox grows without limit: keeping it small is the session's part, by ``queuedByteCount``.
    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome

    /// Puts one long message, the concatenation of `pieces`, at the end of the outbox, without looking at its bytes: the
    /// transport keeps the arrays and reads them when it sends the message.
    ///
    /// The session sends messages of more than 16 KiB in this way, so that its critical section takes no longer for
    /// them. The arrays are shared with the caller; they must not be changed. The default implementation copies the
    /// bytes and calls ``enqueue(_:)``.
    func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome

    /// Asks the transport to start writing. Called without a lock, after an ``enqueue(_:)`` that said so.
    func wake()

    /// Takes a message back. True when it was still in the outbox: then none of its bytes will be sent.
    func withdraw(_ ticket: OutboxTicket) -> Bool

    /// The bytes in the outbox and in the transport's own write buffers.
    var queuedByteCount: Int { get }

    /// Stops, or starts again, to read from the peer. Stopping is meant to be short: a stopped transport may be
    /// unable to answer the peer's pings.
    func setReading(_ isReading: Bool)

    /// Sends what is in the outbox, then performs the closing handshake, then closes; when that has taken
    /// `deadline`, closes without. Returns at once: ``MessageReceiver/transportClosed(_:)`` tells the end. The first
    /// call counts, but a later one may shorten the deadline. Called without a lock.
    func close(code: UInt16, reason: String, deadline: Duration)
}

extension MessageTransport {
    public func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome {
        [UInt8](concatenating: pieces).withUnsafeBytes { bytes in
            withUnsafePointer(to: bytes) { enqueue(UnsafeBufferPointer(start: $0, count: 1)) }
        }
    }
}

extension [UInt8] {
    package init(concatenating pieces: [ArraySlice<UInt8>]) {
        self = []
        reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { append(contentsOf: piece) }
    }
}

/// Where a message lies in a transport's outbox: the count of outbox bytes accepted before it in the connection's
/// life. Tickets of one transport grow.
public struct OutboxTicket: Sendable, Hashable, Comparable {
    public var position: UInt64

    public init(position: UInt64) { self.position = position }

    public static func < (left: OutboxTicket, right: OutboxTicket) -> Bool { left.position < right.position }
}

/// What a transport did with a message.
public enum EnqueueOutcome: Sendable, Hashable {
    /// It is in the outbox; when `mustWake`, the caller calls ``MessageTransport/wake()`` once it holds no lock.
    case queued(OutboxTicket, mustWake: Bool)
    /// The transport is closing or closed: nothing of it will be sent.
    case refused
}

/// Takes what comes from a transport. All calls come from one thread at a time, in order.
///
/// They come on the transport's own thread, so they must be short and must not block. They may call the transport.
public protocol MessageReceiver: AnyObject, Sendable {
    /// The connection stands. Comes first, and before the connect call returns.
    func transportOpened(_ transport: any MessageTransport)

    /// Several messages may come now without a pause, because they were read together. A transport need not say so;
    /// when it does, ``readEnded()`` must follow soon, and before ``transportClosed(_:)``: the receiver may put off
    /// until then what it would do for each message.
    func readBegan()

    /// The messages that were read together have all come.
    func readEnded()

    /// One whole message has come.
    func messageReceived(_ message: InboundMessage)

    /// ``MessageTransport/queuedByteCount`` has fallen to the low-water mark or below, after it was above it.
    func outboxDrained()

    /// The transport answered one of our own liveness probes, after this time.
    func roundTripMeasured(_ duration: Duration)

    /// The connection is gone. Comes once and last, also when it was closed from here.
    func transportClosed(_ closure: TransportClosure)
}

extension MessageReceiver {
    public func readBegan() {}
    public func readEnded() {}
}

/// A message as it came.
public struct InboundMessage {
    /// Who owns the bytes.
    public enum Content {
        /// The transport's own buffer: valid only during the call.
        case borrowed(UnsafeRawBufferPointer)
        /// The receiver's from now on: what it wants to keep, it need not copy.
        case owned([UInt8])
    }

    public var content: Content
    /// True for a binary message, false for a text message.
    public var isBinary: Bool

    public init(content: Content, isBinary: Bool) {
        self.content = content
        self.isBinary = isBinary
    }
}

/// How a connection ended.
public struct TransportClosure: Sendable {
    /// Who ended it.
    public enum Initiator: Sendable, Hashable {
        /// This side, by ``MessageTransport/close(code:reason:deadline:)``.
        case local
        /// The peer, with a closing handshake.
        case remote
        /// Nobody properly: reset, end of file, liveness probe unanswered, protocol violation. `error` says more.
        case failure
    }

    public var initiator: Initiator
    /// The close code (RFC 6455 §7.4), 1005 or 1006 where there was none.
    public var code: UInt16
    public var reason: String
    /// What went wrong. For the initiator `Initiator.failure`, a `ClientError` also gives code, message and cause to the
    /// errors of calls that were in flight; any other error becomes the cause of theirs.
    public var error: (any Error)?
    /// Messages whose ticket lies at or above this position were never handed to the socket: the peer has not seen
    /// them.
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

/// Makes connections. A client asks it for a new one each time it needs one.
public protocol MessageConnector: Sendable {
    /// Connects. The receiver gets ``MessageReceiver/transportOpened(_:)`` before this returns, and no call at all
    /// when this throws. Cancelling the task gives the attempt up.
    func connect(receiver: any MessageReceiver) async throws
}
