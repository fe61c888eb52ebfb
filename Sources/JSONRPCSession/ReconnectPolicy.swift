// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A policy for a client whose connection is lost.
public struct ReconnectPolicy: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case never
    }

    private let kind: Kind

    /// The client does not reconnect. It ends with its first connection.
    public static let never = ReconnectPolicy(kind: .never)
}

/// The state of a client.
public enum ClientState: Sendable, Hashable {
    /// The client has not been connected, or the attempt failed.
    case idle
    /// The client is making its first connection.
    case connecting
    /// The client is connected, and calls are sent.
    case connected
    /// The connection was lost, and the client is about to make another one. It does not occur with
    /// ``ReconnectPolicy/never``.
    case reconnecting(attempt: Int)
    /// The client is closing: it accepts no new calls, and calls in flight may end.
    case closing
    /// The client is closed. This state is final.
    case closed
}
