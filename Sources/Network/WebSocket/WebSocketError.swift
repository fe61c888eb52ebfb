// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import HTTPSyntax

/// A failure of a WebSocket connection or listener.
public struct WebSocketError: ConnectError, Sendable, CustomStringConvertible {
    /// The kind of failure. Later versions can add kinds, so a `switch` needs a `default:`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind, such as `connectFailed`.
        public let description: String

        fileprivate init(_ name: String) { description = name }

        /// The URL is malformed, or its scheme is not `ws:`, `wss:`, `ws+unix:` or `wss+unix:`.
        public static let invalidURL = Self("invalidURL")
        /// A header field, subprotocol, certificate file, proxy URL or limit in the configuration cannot be used.
        public static let invalidConfiguration = Self("invalidConfiguration")
        /// No address was found for the host's name.
        public static let nameNotResolved = Self("nameNotResolved")
        /// The TCP connection, or for `ws+unix:` the connection to the socket, could not be made.
        public static let connectFailed = Self("connectFailed")
        /// The connection was not established within ``WebSocketConfiguration/connectTimeout``.
        public static let connectTimeout = Self("connectTimeout")
        /// The TLS handshake failed, for a reason other than the certificate.
        public static let tlsFailed = Self("tlsFailed")
        /// The peer's certificate, or a certificate above it in the chain, has expired.
        public static let certificateExpired = Self("certificateExpired")
        /// The peer's certificate, or a certificate above it in the chain, is not valid yet. Often a clock is wrong.
        public static let certificateNotYetValid = Self("certificateNotYetValid")
        /// The peer's certificate, or a certificate above it in the chain, was revoked. Revocation is currently not
        /// checked, so this error does not occur.
        public static let certificateRevoked = Self("certificateRevoked")
        /// The peer's certificate is for another host.
        public static let certificateWrongHost = Self("certificateWrongHost")
        /// The issuer of the peer's certificate is not trusted.
        public static let certificateUnknownIssuer = Self("certificateUnknownIssuer")
        /// The peer's certificate is self-signed, and is not trusted.
        public static let certificateSelfSigned = Self("certificateSelfSigned")
        /// The peer's certificate was rejected for another reason.
        public static let certificateRejected = Self("certificateRejected")
        /// The proxy is of a kind that is not supported: SOCKS, or HTTP over TLS.
        public static let unsupportedProxy = Self("unsupportedProxy")
        /// The proxy did not connect to the server. ``WebSocketError/proxyStatus`` is the status of its answer.
        public static let proxyFailed = Self("proxyFailed")
        /// The server answered the opening handshake with a status other than 101: see ``WebSocketError/response``.
        public static let upgradeRefused = Self("upgradeRefused")
        /// The server answered with a redirect, which is not followed: see ``WebSocketError/location``.
        public static let redirectRefused = Self("redirectRefused")
        /// The server's answer to the opening handshake violates RFC 6455 §4.1.
        public static let invalidHandshake = Self("invalidHandshake")
        /// The server chose no subprotocol, and ``WebSocketConfiguration/requiresSubprotocol`` is set.
        public static let subprotocolMismatch = Self("subprotocolMismatch")
        /// The connection ended without a closing handshake.
        public static let connectionLost = Self("connectionLost")
        /// The peer sent nothing for ``WebSocketConfiguration/pingInterval`` and ``WebSocketConfiguration/pingTimeout``
        /// together.
        public static let peerUnresponsive = Self("peerUnresponsive")
        /// The deadline for closing passed before all messages were sent and the peer had answered.
        public static let closeTimeout = Self("closeTimeout")
        /// The peer sent a message larger than ``WebSocketConfiguration/maximumMessageBytes``, or the unfinished
        /// messages at a listener exceeded ``WebSocketListener/Configuration/unfinishedMessageBytes``.
        public static let messageTooBig = Self("messageTooBig")
        /// The peer sent a text message that is not UTF-8.
        public static let invalidText = Self("invalidText")
        /// The peer violated another rule of RFC 6455, or sent a message too slowly or in too many empty fragments.
        public static let protocolViolation = Self("protocolViolation")
        /// The connection is closing or closed, and sends no more messages.
        public static let closing = Self("closing")
        /// The listener could not listen.
        public static let listenFailed = Self("listenFailed")
        /// The event loops are shut down. If there is a ``WebSocketError/systemError``, an event loop could not be
        /// started, and the next use tries again.
        public static let eventLoopsStopped = Self("eventLoopsStopped")
    }

    /// A server's answer to the opening handshake with a status other than 101.
    public struct Response: Sendable, Hashable {
        /// The HTTP status.
        public var status: Int
        /// All header fields, in the order in which the server sent them, with names in lower case.
        ///
        /// The values are raw text from the server. Escape them before you show or log them.
        public var headers: [(name: String, value: String)] {
            get { fields.map { ($0.name, $0.value) } }
            set { fields = newValue.map { WebSocketHeaderField($0.name, $0.value) } }
        }
        /// The part of the body that arrived with the header fields, as at most 4 KiB of raw bytes from the server.
        public var bodyStart: [UInt8]

        private var fields: [WebSocketHeaderField]

        public init(status: Int, headers: [(name: String, value: String)], bodyStart: [UInt8]) {
            self.status = status
            self.bodyStart = bodyStart
            fields = headers.map { WebSocketHeaderField($0.name, $0.value) }
        }
    }

    /// The kind of failure.
    public var code: Code
    /// One sentence that says what failed and why. Text from the peer is escaped.
    public var message: String
    /// A sentence for ``description`` that names a helpful option, or `nil` if there is none. Programs with their own
    /// options, such as a command-line tool, name theirs instead.
    package var advice: String?
    /// The underlying error, or `nil` if there is none.
    public var cause: (any Error)?
    /// The server's answer, for ``Code/upgradeRefused`` and ``Code/redirectRefused``; otherwise `nil`.
    public var response: Response?
    /// The `Location` field of a refused redirect: raw text from the server. Escape it before you show or log it.
    public var location: String?
    /// The `errno` of the failure, or `nil` if there is none.
    public var systemError: Int32?
    /// The status of the proxy's answer, for ``Code/proxyFailed``. It is `nil` if the proxy sent no complete answer.
    public var proxyStatus: Int?
    /// The close code that ended the connection, or `nil` if there is none.
    public var closeCode: WebSocketCloseCode?
    /// Whether the same attempt to connect or to listen may succeed later.
    ///
    /// It is `true` for
    /// - refused, unreachable and lost connections, timeouts, and names that cannot be resolved at the moment;
    /// - a server or a proxy that answers with the status 408, 429, 502, 503 or 504;
    /// - an address to listen at that is in use, and exhausted file descriptors or memory.
    ///
    /// It is `false` for all other failures: unusable URLs and configurations, unknown names, certificates and TLS,
    /// other statuses, redirects, invalid handshakes, and violations of the protocol.
    public var isRetryable: Bool
    /// The time that the server asked clients to wait, for ``Code/upgradeRefused``, or `nil` if it did not ask.
    ///
    /// It is the value of the `Retry-After` field (RFC 9110 §10.2.3), as seconds or as a date. A date in the past gives
    /// zero. The maximum is 2³¹ seconds.
    public var retryAfter: Duration?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: One sentence that says what failed and why.
    ///   - cause: The underlying error. The default is `nil`.
    ///   - isRetryable: Whether the same attempt may succeed later. The default is the value that follows from the
    ///     code.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil, isRetryable: Bool? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
        self.isRetryable = isRetryable ?? Self.isRetryable(code, systemError: nil, status: nil)
    }

    /// Makes an error with the name of a helpful option.
    package init(_ code: Code, _ message: String, advice: String?) {
        self.init(code, message)
        self.advice = advice
    }

    /// The message, the advice if there is any, and the code in parentheses unless the text already contains it.
    public var description: String {
        let text = message + (advice.map { " " + $0 } ?? "")
        let isNamed = message.contains("(\(code))") || advice?.contains("\(code)") == true
        return isNamed ? text : "\(text) (\(code))"
    }

    // MARK: Making errors

    /// Makes an error with the numbers that belong to it. If `isRetryable` is `nil`, the other arguments determine it.
    init(
        _ code: Code, _ message: String, systemError: Int32?, proxyStatus: Int? = nil, isRetryable: Bool? = nil
    ) {
        self.init(
            code, message,
            isRetryable: isRetryable ?? Self.isRetryable(code, systemError: systemError, status: proxyStatus))
        self.systemError = systemError
        self.proxyStatus = proxyStatus
    }

    /// Makes the error for a failure to connect the socket or to use TLS.
    init(_ error: SocketError) {
        self.init(
            Code(error.code.rawValue), error.message, systemError: error.systemError, proxyStatus: error.proxyStatus,
            isRetryable: error.isRetryable)
        advice = error.advice
    }

    /// Makes the error for event loops that are shut down, or that could not start because of `failure`.
    static func loopsStopped(_ failure: SocketFault? = nil) -> WebSocketError {
        guard let failure else { return WebSocketError(.eventLoopsStopped, "The event loops are shut down.") }
        return WebSocketError(
            .eventLoopsStopped, "Could not start the event loop: \(failure.reason).",
            systemError: failure.systemError)
    }

    /// Makes the error for a connection that has ended, by the peer without a `fault`. The message has no full stop.
    static func lost(_ message: String, _ fault: SocketFault?) -> WebSocketError {
        var error = WebSocketError(.connectionLost, message + (fault.map { ": \($0.reason)." } ?? "."))
        error.systemError = fault?.systemError
        return error
    }

    static func closeTimedOut() -> WebSocketError {
        WebSocketError(
            .closeTimeout,
            "The queued messages were not sent, or the peer did not answer the closing handshake, before the deadline "
                + "for closing.")
    }

    static func peerUnresponsive(_ configuration: WebSocketConfiguration) -> WebSocketError {
        let limit = (configuration.pingInterval ?? .zero) + configuration.pingTimeout
        return WebSocketError(
            .peerUnresponsive, "The peer sent nothing within \(limit).",
            advice:
                "This time is pingInterval and pingTimeout together. Set pingInterval to nil for a peer that does not "
                + "answer PINGs.")
    }

    static func handshakeTimedOut(_ configuration: WebSocketConfiguration) -> WebSocketError {
        WebSocketError(
            .connectTimeout, "The server did not complete the handshake within \(configuration.connectTimeout).",
            advice: "Raise connectTimeout to wait longer.")
    }

    /// Makes the error for a descriptor that the event loop cannot poll.
    static func noRoom(_ code: Code, _ failure: String) -> WebSocketError {
        WebSocketError(
            code,
            "\(failure): the event loop has no room for another descriptor. Raise the limit of open files before the "
                + "first connection.")
    }

    /// Makes the error for a server that answered with a status other than 101. `now` is the current time in seconds
    /// since 1970, for a date in `Retry-After`.
    static func refused(_ response: Response, now: Int64 = Int64(time(nil))) -> WebSocketError {
        var error: WebSocketError
        if (300..<400).contains(response.status) {
            error = WebSocketError(
                .redirectRefused,
                "The server answered with a redirect (status \(response.status)), and redirects are not followed. "
                    + "Connect to the server's new URL.")
            error.location = response.headers.first { $0.name == "location" }?.value
        } else {
            error = WebSocketError(
                .upgradeRefused, "The server refused the upgrade with status \(response.status).",
                isRetryable: passingStatuses.contains(response.status))
            let fields = response.headers.lazy.filter { $0.name == "retry-after" }
            let delay = fields.compactMap { FieldDate.delay($0.value, from: now) }.first
            error.retryAfter = delay.map { .seconds($0) }
        }
        error.response = response
        return error
    }

    /// Returns whether a failure may be temporary, judging by the code, the `errno` and the status.
    static func isRetryable(_ code: Code, systemError: Int32?, status: Int?) -> Bool {
        switch code {
        case .connectTimeout, .connectionLost, .peerUnresponsive: true
        case .connectFailed, .listenFailed: systemError.map(SocketError.isPassing) ?? false
        case .proxyFailed: status.map(passingStatuses.contains) ?? false
        // Without an `errno`, the loops were shut down, or this version of libwebsockets cannot be used.
        case .eventLoopsStopped: systemError != nil
        default: false
        }
    }

    /// Request Timeout, Too Many Requests, Bad Gateway, Service Unavailable, Gateway Timeout.
    private static let passingStatuses: Set<Int> = [408, 429, 502, 503, 504]
}
