// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Why a connection could not be attempted, or came to nothing before its opening handshake was answered.
///
/// What a server answers to the handshake itself (a status other than 101, say) is not a dial error.
public struct WebSocketDialError: Error, Sendable, Hashable {
    /// What went wrong, to decide by. ``message`` has the particulars.
    public struct Code: Sendable, Hashable {
        private enum Value: String {
            case invalidURL, invalidHeaderField, invalidSubprotocol, invalidTLSConfiguration
            case invalidProxy, unsupportedProxy
            case unresolvableName, unreachable, timedOut
            case proxyRefused, proxyFailed
            case certificateExpired, certificateNotYetValid, certificateRevoked
            case hostnameMismatch, unknownIssuer, selfSigned, certificateRejected
            case tlsFailed
        }

        private let value: Value

        private init(_ value: Value) { self.value = value }

        /// The URL is malformed, or asks for what is not supported. Not worth a retry.
        public static let invalidURL = Self(.invalidURL)
        /// A header field has a name or value that RFC 9110 does not allow, or one that belongs to the handshake.
        public static let invalidHeaderField = Self(.invalidHeaderField)
        /// A subprotocol is not a token, or is offered twice (RFC 6455 §4.1).
        public static let invalidSubprotocol = Self(.invalidSubprotocol)
        /// A certificate or key cannot be read, or the two do not belong together.
        public static let invalidTLSConfiguration = Self(.invalidTLSConfiguration)
        /// The proxy's URL is malformed.
        public static let invalidProxy = Self(.invalidProxy)
        /// The proxy is of a kind that is not supported: SOCKS, or HTTP over TLS.
        public static let unsupportedProxy = Self(.unsupportedProxy)
        /// The host name has no address.
        public static let unresolvableName = Self(.unresolvableName)
        /// No address accepted a connection, or the Unix domain socket did not. ``systemError`` says why.
        public static let unreachable = Self(.unreachable)
        /// The connect timeout passed first.
        public static let timedOut = Self(.timedOut)
        /// The proxy answered CONNECT with a status other than 2xx: see ``proxyStatus``.
        public static let proxyRefused = Self(.proxyRefused)
        /// The proxy closed, or answered with something that is not HTTP.
        public static let proxyFailed = Self(.proxyFailed)
        /// A certificate of the server's chain has expired.
        public static let certificateExpired = Self(.certificateExpired)
        /// A certificate of the server's chain is not valid yet; often a wrong clock.
        public static let certificateNotYetValid = Self(.certificateNotYetValid)
        /// A certificate of the server's chain was revoked.
        public static let certificateRevoked = Self(.certificateRevoked)
        /// The server's certificate is for another name or address.
        public static let hostnameMismatch = Self(.hostnameMismatch)
        /// The server's certificate was issued by nobody who is trusted.
        public static let unknownIssuer = Self(.unknownIssuer)
        /// The server's certificate is signed by itself, and is not trusted.
        public static let selfSigned = Self(.selfSigned)
        /// The server's certificate was not accepted for another reason.
        public static let certificateRejected = Self(.certificateRejected)
        /// The TLS handshake failed otherwise: no common version, an alert from the server, not TLS at all.
        public static let tlsFailed = Self(.tlsFailed)
    }

    public var code: Code
    /// A full sentence, without secrets.
    public var message: String
    /// The `errno` behind it, if there is one.
    public var systemError: Int32?
    /// What the proxy answered, for ``Code/proxyRefused``.
    public var proxyStatus: Int?

    init(_ code: Code, _ message: String, systemError: Int32? = nil, proxyStatus: Int? = nil) {
        self.code = code
        self.message = message
        self.systemError = systemError
        self.proxyStatus = proxyStatus
    }
}

extension WebSocketDialError: CustomStringConvertible {
    public var description: String { message }
}

extension WebSocketDialError.Code: CustomStringConvertible {
    public var description: String { value.rawValue }
}
