// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Whether the peer can have seen a request whose call failed.
public enum Delivery: Sendable, Hashable {
    /// None of its bytes left this program: to send it again is safe.
    case notSent
    /// Its bytes were handed to the socket, and no answer came: the peer may have acted on it, or may yet.
    case outcomeUnknown
    /// The peer answered, and the answer could not be used.
    case answered
}

/// A call, or something else asked of a client or session, failed on this side. What the peer itself answers is an
/// ``ErrorObject``; a cancelled task gets a `CancellationError`.
public struct ClientError: Error, Sendable {
    /// What kind of failure. More kinds may come.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case notConnected, connectFailed, closed, connectionLost, timedOut, encodingFailed, decodingFailed
            case protocolViolation, batchTooLarge, requestIDInUse, alreadyConnected
            case missingResponse, emptyBatch, transportFailed, listenFailed
        }

        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// There is no connection yet, or it is closing.
        public static let notConnected = Code(.notConnected)
        /// No connection came about; `cause` says why.
        public static let connectFailed = Code(.connectFailed)
        /// The connection was closed from this side.
        public static let closed = Code(.closed)
        /// The connection ended, by the peer or by a fault.
        public static let connectionLost = Code(.connectionLost)
        /// No response came in time.
        public static let timedOut = Code(.timedOut)
        /// The params could not be encoded, or are neither an array nor an object; `cause` says why.
        public static let encodingFailed = Code(.encodingFailed)
        /// The result is not of the type that was asked for; `cause` says where.
        public static let decodingFailed = Code(.decodingFailed)
        /// The peer's answer is no proper response; ``ClientError/irregularity`` says how.
        public static let protocolViolation = Code(.protocolViolation)
        /// A batch has more members than the session allows calls in flight.
        public static let batchTooLarge = Code(.batchTooLarge)
        /// The id generator gave an id which a call in flight has.
        public static let requestIDInUse = Code(.requestIDInUse)
        /// The client has been connected before. A client that does not connect again connects once.
        public static let alreadyConnected = Code(.alreadyConnected)
        /// The answer as a whole came, and holds no response to this request; `cause` is a ``MissingResponse``.
        public static let missingResponse = Code(.missingResponse)
        /// A batch has no members: JSON-RPC 2.0 §6 knows no such thing.
        public static let emptyBatch = Code(.emptyBatch)
        /// What lies between the caller and the peer failed, and is none of this package: a transport, an
        /// interceptor; `cause` is its error.
        public static let transportFailed = Code(.transportFailed)
        /// A listener could not be started. `cause` holds the reason.
        public static let listenFailed = Code(.listenFailed)

        public var description: String { kind.rawValue }
    }

    public var code: Code
    /// One sentence.
    public var message: String
    /// What lies beneath.
    public var cause: (any Error)?
    /// The id under which the request went out.
    public var requestID: RequestID?
    public var method: String?
    /// Nil for what was no call.
    public var delivery: Delivery?
    /// The close code (RFC 6455 §7.4) when the connection ended.
    public var closeCode: UInt16?
    /// What was wrong with the peer's answer.
    public var irregularity: Irregularity?
    /// Whether the same call or the same attempt to connect may succeed later.
    ///
    /// It is `true` for ``Code/notConnected``, ``Code/connectionLost`` and ``Code/timedOut``, and for
    /// ``Code/connectFailed`` if the connector says so: a refused connection can succeed later, a malformed URL cannot.
    /// It says nothing about safety: to repeat a call is safe only if ``delivery`` is ``Delivery/notSent`` or the method
    /// is idempotent.
    public var isRetryable: Bool

    /// - Parameter isRetryable: `nil` for the answer that follows from the code.
    public init(
        _ code: Code, _ message: String, cause: (any Error)? = nil, requestID: RequestID? = nil,
        method: String? = nil, delivery: Delivery? = nil, closeCode: UInt16? = nil, irregularity: Irregularity? = nil,
        isRetryable: Bool? = nil
    ) {
        self.isRetryable = isRetryable ?? [.notConnected, .connectionLost, .timedOut].contains(code)
        self.code = code
        self.message = message
        self.cause = cause
        self.requestID = requestID
        self.method = method
        self.delivery = delivery
        self.closeCode = closeCode
        self.irregularity = irregularity
    }
}

extension ClientError: Hashable {
    /// Two are equal when code and message are.
    public static func == (left: ClientError, right: ClientError) -> Bool {
        left.code == right.code && left.message == right.message
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }
}

extension ClientError: CustomStringConvertible {
    public var description: String {
        var text = message
        if let method { text += " Method: \(method)." }
        if let requestID { text += " Request id: \(requestID)." }
        switch delivery {
        case .notSent: text += " The request was not sent."
        case .outcomeUnknown: text += " The peer may have seen the request."
        case .answered, nil: break
        }
        if let closeCode { text += " Close code: \(closeCode)." }
        if let cause { text += " Cause: \(cause)" }
        return text
    }
}
