// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WebSocket

extension JSONRPCClient {
    /// Connects to a server over WebSocket and gives the client when calls can be made.
    ///
    /// ```swift
    /// let client = try await JSONRPCClient.connect(to: "ws://127.0.0.1:6800/jsonrpc")
    /// let version: Version = try await client.call("aria2.getVersion")
    /// await client.close()
    /// ```
    ///
    /// Handlers and streams that must not miss the server's first message are made before there is a connection:
    /// use `JSONRPCClient.init(connector:configuration:reconnect:)` with a ``WebSocketConnector``,
    /// then `JSONRPCClient.connect()`.
    ///
    /// - Parameters:
    ///   - url: a `ws:`, `wss:` or `ws+unix:` URL.
    ///   - webSocket: how to connect: TLS, proxy, header fields, subprotocols, limits, liveness.
    ///   - configuration: how calls and messages are treated.
    ///   - reconnect: what to do when the connection is lost.
    ///   - eventLoops: one of them serves the connection.
    /// - Throws: a `ClientError` with the code `connectFailed`, whose cause is a
    ///   `WebSocketError`; or `CancellationError`.
    public static func connect(
        to url: String, webSocket: WebSocketConfiguration = WebSocketConfiguration(),
        configuration: SessionConfiguration = SessionConfiguration(), reconnect: ReconnectPolicy = .never,
        on eventLoops: WebSocketEventLoops = .shared
    ) async throws -> JSONRPCClient {
        let client = JSONRPCClient(
            connector: WebSocketConnector(
                to: url, configuration: webSocket, maximumQueuedBytes: configuration.maximumQueuedBytes,
                on: eventLoops),
            configuration: configuration, reconnect: reconnect)
        try await client.connect()
        return client
    }
}
