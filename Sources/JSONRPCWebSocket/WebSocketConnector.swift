// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WebSocket

/// Makes WebSocket connections for a `JSONRPCClient`: the object-level transport, which matches
/// responses to calls by their ids.
public struct WebSocketConnector: MessageConnector {
    /// Where to connect to: a `ws:`, `wss:` or `ws+unix:` URL.
    public let url: String
    /// How to connect. `validatesText` is not used: the session's scan checks the text of every message, and one
    /// that is not UTF-8 ends the connection with 1007 (RFC 6455 §8.1).
    public let configuration: WebSocketConfiguration
    /// The event loops, one of which serves each connection.
    public let eventLoops: WebSocketEventLoops

    public init(
        to url: String, configuration: WebSocketConfiguration = WebSocketConfiguration(),
        on eventLoops: WebSocketEventLoops = .shared
    ) {
        self.url = url
        self.configuration = configuration
        self.eventLoops = eventLoops
    }

    /// Connects.
    /// - Throws: `WebSocketError`, or `CancellationError`.
    public func connect(receiver: any MessageReceiver) async throws {
        var configuration = configuration
        configuration.validatesText = false
        _ = try await WebSocketConnection.connect(
            to: url, configuration: configuration, handler: WebSocketReceiver(receiver), on: eventLoops)
    }
}
