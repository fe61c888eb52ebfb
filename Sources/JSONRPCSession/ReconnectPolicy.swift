// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Whether, and when, a client whose connection is lost makes another.
public struct ReconnectPolicy: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case never
    }

    private let kind: Kind

    /// The client ends with its first connection.
    public static let never = ReconnectPolicy(kind: .never)
}

/// How a client stands.
public enum ClientState: Sendable, Hashable {
    /// It has not been connected, or the attempt failed.
    case idle
    /// The first connection is being made.
    case connecting
    /// Calls go out.
    case connected
    /// The connection was lost, and another one is being made, or waited for. Not with ``ReconnectPolicy/never``.
    case reconnecting(attempt: Int)
    /// It is being closed: no new calls, those accepted go on.
    case closing
    /// The end.
    case closed
}
