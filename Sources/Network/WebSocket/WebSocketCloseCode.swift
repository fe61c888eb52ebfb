// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A status code of the closing handshake (RFC 6455 §7.4). The names are those of the IANA registry.
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable {
    /// The number.
    public var rawValue: UInt16

    /// Makes a code from any number. CLOSE frames contain only 1000 to 1003, 1007 to 1014, and 3000 to 4999.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 1000: the connection has fulfilled its purpose.
    public static let normalClosure = Self(rawValue: 1000)
    /// 1001: the server shuts down, or the user leaves the page.
    public static let goingAway = Self(rawValue: 1001)
    /// 1002: the peer violated the protocol.
    public static let protocolError = Self(rawValue: 1002)
    /// 1003: the peer sent a type of message that this side cannot accept.
    public static let unsupportedData = Self(rawValue: 1003)
    /// 1005: the peer's CLOSE frame had no code. Never sent.
    public static let noStatusReceived = Self(rawValue: 1005)
    /// 1006: the connection ended without a CLOSE frame. Never sent.
    public static let abnormalClosure = Self(rawValue: 1006)
    /// 1007: the peer sent a text message that is not UTF-8.
    public static let invalidFramePayloadData = Self(rawValue: 1007)
    /// 1008: the peer violated a policy of this side.
    public static let policyViolation = Self(rawValue: 1008)
    /// 1009: the peer sent a message that is too large.
    public static let messageTooBig = Self(rawValue: 1009)
    /// 1010: the server did not agree on an extension that the client requires.
    public static let mandatoryExtension = Self(rawValue: 1010)
    /// 1011: the server failed unexpectedly.
    public static let internalError = Self(rawValue: 1011)
    /// 1012: the service restarts.
    public static let serviceRestart = Self(rawValue: 1012)
    /// 1013: the server is overloaded.
    public static let tryAgainLater = Self(rawValue: 1013)
    /// 1014: a gateway got an invalid response from the server behind it.
    public static let badGateway = Self(rawValue: 1014)
    /// 1015: the TLS handshake failed. Never sent.
    public static let tlsHandshake = Self(rawValue: 1015)

    /// Whether a CLOSE frame can contain the code (RFC 6455 §7.4). 1012 to 1014 are registered with IANA.
    var maySend: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// The code that is sent: the code itself if a CLOSE frame can contain it, or 1000 otherwise.
    var sent: Self { maySend ? self : .normalClosure }
}

extension String {
    /// The text, truncated between characters to 123 bytes, the space in a control frame after the code (RFC 6455
    /// §5.5).
    var sentCloseReason: String {
        var result = ""
        for scalar in unicodeScalars {
            guard result.utf8.count + UTF8.width(scalar) <= 123 else { break }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
