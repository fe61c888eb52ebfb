// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A status code of the closing handshake (RFC 6455 §7.4), by the names of the IANA registry.
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable {
    public var rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let normalClosure = Self(rawValue: 1000)
    public static let goingAway = Self(rawValue: 1001)
    public static let protocolError = Self(rawValue: 1002)
    public static let unsupportedData = Self(rawValue: 1003)
    /// The peer's CLOSE frame had no code. Never sent.
    public static let noStatusReceived = Self(rawValue: 1005)
    /// There was no CLOSE frame. Never sent.
    public static let abnormalClosure = Self(rawValue: 1006)
    public static let invalidFramePayloadData = Self(rawValue: 1007)
    public static let policyViolation = Self(rawValue: 1008)
    public static let messageTooBig = Self(rawValue: 1009)
    public static let mandatoryExtension = Self(rawValue: 1010)
    public static let internalError = Self(rawValue: 1011)
    public static let serviceRestart = Self(rawValue: 1012)
    public static let tryAgainLater = Self(rawValue: 1013)
    public static let badGateway = Self(rawValue: 1014)
    /// The TLS handshake failed. Never sent.
    public static let tlsHandshake = Self(rawValue: 1015)
}
