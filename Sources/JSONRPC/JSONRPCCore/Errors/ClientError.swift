// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

extension ClientError {
    /// The delivery of a request whose call failed.
    public enum Delivery: Sendable, Hashable {
        /// No byte of the request left this program. It is safe to send it again.
        case notSent
        /// The request was written to the socket, and no answer arrived. The peer may have executed it, or may do so
        /// later.
        case outcomeUnknown
        /// The peer answered. The answer is an error, or cannot be used.
        case answered
    }
}

/// A failure on this side: of a call, of an attempt to connect, or of another operation of a client or session.
///
/// An error that the peer answers with is an ``ErrorObject``. A cancelled task gets a `CancellationError`.
public struct ClientError: Error, Sendable {
    /// The kind of failure.
    public var code: Code
    /// A sentence that states the operation, its object and the reason of the failure. ``description`` adds the other
    /// properties to it.
    public var message: String
    /// The error that caused this one.
    public var cause: (any Error)?
    /// The id of the request. `nil` if the request got no id, or the error does not concern a call.
    public var requestID: RequestID?
    /// The method of the call. `nil` if the error does not concern a call.
    public var method: String?
    /// Whether the peer can have seen the request. `nil` if the error does not concern a call.
    public var delivery: ClientError.Delivery?
    /// The close code (RFC 6455 §7.4) if the connection ended.
    public var closeCode: UInt16?
    /// How the peer's answer departs from JSON-RPC 2.0, for ``Code/protocolViolation``.
    public var irregularity: Irregularity?
    /// The bytes from the peer that could not be used.
    ///
    /// For ``Code/protocolViolation`` this is the message, or the member of the array, that violates the protocol; it
    /// need not be JSON. For ``Code/decodingFailed`` it is the result, and for ``Code/missingResponse`` the answer that
    /// lacks the response. ``description`` leaves the bytes out, because they may be large or confidential.
    public var received: [UInt8]?
    /// Whether the same call, or the same attempt to connect, may succeed later.
    ///
    /// It is `true` for ``Code/notConnected``, ``Code/connectionLost`` and ``Code/timedOut``, and for
    /// ``Code/connectFailed`` if the connector says so: a refused connection can succeed later, a malformed URL cannot.
    /// It is no statement about safety: to repeat a call is safe only if ``delivery`` is
    /// ``ClientError/Delivery/notSent`` or the method is idempotent.
    public var isRetryable: Bool
    /// The state of the connection when it ended, if the connection ended. `==` does not compare it.
    public var lastState: ClientError.LastState?
    /// The origin of the answer that could not be used. `==` does not compare it.
    package var origin: (any AnswerOrigin)?

    /// Makes an error. The default of `isRetryable` is `true` for ``Code/notConnected``, ``Code/connectionLost`` and
    /// ``Code/timedOut``, and `false` for other codes.
    public init(
        _ code: Code, _ message: String, cause: (any Error)? = nil, requestID: RequestID? = nil,
        method: String? = nil, delivery: ClientError.Delivery? = nil, closeCode: UInt16? = nil,
        irregularity: Irregularity? = nil,
        received: [UInt8]? = nil, isRetryable: Bool? = nil
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.requestID = requestID
        self.method = method
        self.delivery = delivery
        self.closeCode = closeCode
        self.irregularity = irregularity
        self.received = received
        self.isRetryable = isRetryable ?? [.notConnected, .connectionLost, .timedOut].contains(code)
    }
}

extension ClientError {
    /// The `jsonrpc` member of the message in ``received``, for ``Irregularity/wrongVersion``: `"1.0"` with its quotes
    /// for a string, `2` for a number. `nil` if there is no such member.
    public var receivedVersion: RawJSON? {
        received.flatMap { RawJSON.member("jsonrpc", of: $0) }
    }
}

extension RawJSON {
    static func member(_ name: String, of message: [UInt8]) -> RawJSON? {
        (try? RawJSON(validating: message))?.member(name)
    }

    /// The value of a member of an object; `nil` if there is none. If the member is repeated, the last one wins.
    package func member(_ name: String) -> RawJSON? {
        ((try? members()) ?? nil)?.last { $0.name == name }?.value
    }
}

extension ClientError: Hashable {
    /// Whether all properties except ``lastState`` are equal. Causes are equal if they have the same type and the same
    /// value; causes whose type is not `Hashable` are compared by their debug descriptions.
    public static func == (left: ClientError, right: ClientError) -> Bool {
        left.code == right.code && left.message == right.message && left.requestID == right.requestID
            && left.method == right.method && left.delivery == right.delivery && left.closeCode == right.closeCode
            && left.irregularity == right.irregularity && left.received == right.received
            && left.isRetryable == right.isRetryable && isSameCause(left.cause, right.cause)
    }

    private static func isSameCause(_ left: (any Error)?, _ right: (any Error)?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        guard type(of: left) == type(of: right) else { return false }
        if let left = left as? any Hashable, let right = right as? any Hashable {
            return AnyHashable(left) == AnyHashable(right)
        }
        return String(reflecting: left) == String(reflecting: right)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
        hasher.combine(requestID)
        hasher.combine(method)
    }
}

extension ClientError: CustomStringConvertible {
    /// The message, the method and the request's id, whether the request was sent, the close code, the last state of
    /// the connection, and the cause.
    public var description: String {
        var text = message
        if let method, !message.contains("`\(method)`") { text += " Method: `\(method)`." }
        if let requestID { text += " Request id: \(requestID)." }
        if method != nil || requestID != nil {
            switch delivery {
            case .notSent: text += " The request was not sent."
            case .outcomeUnknown: text += " The peer may have received the request."
            case .answered, nil: break
            }
        }
        if let closeCode { text += " Close code: \(closeCode)." }
        if let lastState { text += " Last state: \(lastState)." }
        if let cause {
            let reason = CodingReason.clause(of: cause)
            if !message.contains(reason) { text += " Cause: \(reason)" }
        }
        return text
    }
}

extension ClientError {
    /// The kind of failure. Later versions may add kinds.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case notConnected, connectFailed, closed, connectionLost, timedOut, encodingFailed, decodingFailed
            case protocolViolation, batchTooLarge, requestIDInUse, alreadyConnected
            case missingResponse, emptyBatch, transportFailed, listenFailed
        }

        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// There is no connection, and the call may not wait for one. `cause` holds the reason, if there is one.
        public static let notConnected = Code(.notConnected)
        /// The connection could not be established. `cause` holds the reason.
        public static let connectFailed = Code(.connectFailed)
        /// The connection was closed from this side.
        public static let closed = Code(.closed)
        /// The connection ended: the peer closed it, or it failed.
        public static let connectionLost = Code(.connectionLost)
        /// No response arrived before the timeout, or there was no connection until then. In the second case, `cause`
        /// holds the reason.
        public static let timedOut = Code(.timedOut)
        /// The params could not be encoded, or are neither an array nor an object. `cause` holds the encoder's error.
        public static let encodingFailed = Code(.encodingFailed)
        /// The result could not be decoded as the type that the caller asked for. `cause` holds the decoder's error.
        public static let decodingFailed = Code(.decodingFailed)
        /// The peer's answer is not a valid response. ``ClientError/irregularity`` holds the reason,
        /// ``ClientError/received`` the answer.
        public static let protocolViolation = Code(.protocolViolation)
        /// A batch has more members than the session allows calls in flight.
        public static let batchTooLarge = Code(.batchTooLarge)
        /// The id generator returned the id of a call in flight.
        public static let requestIDInUse = Code(.requestIDInUse)
        /// `connect()` was called on a client that has been connected before.
        public static let alreadyConnected = Code(.alreadyConnected)
        /// An answer arrived that holds no response to this request. ``ClientError/received`` holds the answer.
        public static let missingResponse = Code(.missingResponse)
        /// A batch has no members, which JSON-RPC 2.0 §6 forbids.
        public static let emptyBatch = Code(.emptyBatch)
        /// A transport failed, or an interceptor threw an error that is not of this package. `cause` holds the reason.
        public static let transportFailed = Code(.transportFailed)
        /// A listener could not be started. `cause` holds the reason.
        public static let listenFailed = Code(.listenFailed)

        public var description: String { kind.rawValue }
    }

    /// The state of a connection when it ended.
    public struct LastState: Sendable, Hashable {
        /// The time for which the connection was open.
        public var openFor: Duration
        /// The time from the peer's last message, or its last answer to a liveness probe, to the end. `nil` if neither
        /// arrived.
        public var silentFor: Duration?
        /// The number of calls in flight.
        public var callsInFlight: Int
        /// The number of bytes that this side had queued and not written to the socket, without their framing. It is an
        /// estimate that can be a few bytes too small for each message.
        public var queuedByteCount: Int

        public init(openFor: Duration, silentFor: Duration?, callsInFlight: Int, queuedByteCount: Int) {
            self.openFor = openFor
            self.silentFor = silentFor
            self.callsInFlight = callsInFlight
            self.queuedByteCount = queuedByteCount
        }
    }
}

extension ClientError.LastState: CustomStringConvertible {
    /// The state on one line, with times in seconds.
    public var description: String {
        let silence = silentFor.map { "silent for \(Self.seconds($0))" } ?? "without a message from the peer"
        return "open for \(Self.seconds(openFor)), \(silence), calls in flight: \(callsInFlight), "
            + "queued bytes: \(queuedByteCount)"
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = (duration / .milliseconds(1)).rounded()
        return "\(milliseconds / 1000) s"
    }
}
