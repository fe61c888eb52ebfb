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

    /// Whether a CLOSE frame may carry it (RFC 6455 §7.4; 1012 to 1014 are registered with IANA).
    var maySend: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// What is sent when this is asked for.
    var sent: Self { maySend ? self : .normalClosure }
}

extension String {
    /// The reason that is sent when this is asked for: a control frame has room for 123 bytes beside the code (RFC 6455
    /// §5.5). Cut between characters.
    var sentCloseReason: String { String(decoding: utf8Prefix(123), as: UTF8.self) }

    /// At most `count` bytes of UTF-8, cut between characters.
    private func utf8Prefix(_ count: Int) -> [UInt8] {
        guard utf8.count > count else { return Array(utf8) }
        var result: [UInt8] = []
        for scalar in unicodeScalars {
            let encoded = UTF8.encode(scalar)
            guard let encoded, result.count + encoded.count <= count else { break }
            result.append(contentsOf: encoded)
        }
        return result
    }
}
