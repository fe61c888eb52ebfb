// swift-jsonrpc · SPDX-License-Identifier: MIT

package import HTTPTypes

/// A failure of the connection, of a time limit, or of the HTTP protocol.
public struct HTTPTransportError: Error, Sendable {
    /// The kind of a failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: String {
            case cannotConnect, secureConnectionFailed, connectionLost, timedOut, protocolViolation, bodyTooLarge,
                invalidRequest, closed
        }
        private let value: Value

        /// The name could not be resolved, or no address accepted the connection.
        public static var cannotConnect: Self { Self(value: .cannotConnect) }
        /// The TLS handshake failed, or the certificate is not trusted.
        public static var secureConnectionFailed: Self { Self(value: .secureConnectionFailed) }
        /// The connection ended before the response was complete.
        public static var connectionLost: Self { Self(value: .connectionLost) }
        /// One of the limits in ``HTTPTimeouts`` was exceeded.
        public static var timedOut: Self { Self(value: .timedOut) }
        /// The server sent something that is not HTTP.
        public static var protocolViolation: Self { Self(value: .protocolViolation) }
        /// The body of the response, decompressed, exceeds its limit.
        public static var bodyTooLarge: Self { Self(value: .bodyTooLarge) }
        /// The request cannot be sent, for example because its URL has no host.
        public static var invalidRequest: Self { Self(value: .invalidRequest) }
        /// The transport was shut down.
        public static var closed: Self { Self(value: .closed) }

        public var description: String { value.rawValue }
    }

    public var code: Code
    /// The reason, for people.
    public var reason: String
    /// Whether no byte of the request was sent, so that the server cannot have processed it.
    public var isRequestUnsent: Bool
    /// Whether a reused connection ended before any byte of the response, as when a server closes an idle one.
    public var wasConnectionStale: Bool
    /// The error of the underlying library; `nil` if the transport has found the failure itself.
    public var underlying: (any Error)?

    public init(
        _ code: Code, _ reason: String, isRequestUnsent: Bool = false, wasConnectionStale: Bool = false,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.reason = reason
        self.isRequestUnsent = isRequestUnsent
        self.wasConnectionStale = wasConnectionStale
        self.underlying = underlying
    }
}

extension HTTPTransportError {
    /// The error for a request whose authority is not a host with or without a port. A user name is left out.
    package static func invalidAuthority(of request: HTTPRequest) -> Self {
        Self(
            .invalidRequest,
            "The host or the port in '\(HTTPRedaction.standard.url(of: request).prefix(200))' is not valid. A port is a "
                + "number from 1 to 65535.", isRequestUnsent: true)
    }
}

extension HTTPTransportError: CustomStringConvertible {
    public var description: String { "\(reason) (\(code))" }
}
