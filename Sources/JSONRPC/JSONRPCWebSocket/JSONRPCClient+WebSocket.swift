// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WebSocket

extension JSONRPCClient {
    /// Connects to a server over WebSocket, and returns the client when it can make calls.
    ///
    /// ```swift
    /// let client = try await JSONRPCClient.connect(to: "ws://127.0.0.1:6800/jsonrpc")
    /// let version: Version = try await client.call("aria2.getVersion")
    /// await client.close()
    /// ```
    ///
    /// Handlers and streams that must not miss the server's first message must be set before the client connects. To do
    /// so, use `JSONRPCClient.init(connector:configuration:reconnect:)` with a `WebSocketConnector`, then
    /// `JSONRPCClient.connect()`.
    ///
    /// - Parameters:
    ///   - url: A `ws:`, `wss:`, `ws+unix:` or `wss+unix:` URL.
    ///   - webSocket: The options of the connection: TLS, proxy, header fields, subprotocols, limits, keepalive.
    ///   - configuration: The options of calls and messages, and the closure for each new connection:
    ///     `SessionConfiguration.onConnect`.
    ///   - reconnect: Whether the client connects again when the connection is lost. The default is never.
    ///   - eventLoops: The event loops, one of which serves the connection. The default is a loop that the process
    ///     shares.
    /// - Returns: The connected client.
    /// - Throws: A `ClientError` with the code `connectFailed`, or `CancellationError`. `ClientError.isRetryable` tells
    ///   whether another attempt may succeed. The cause is a `WebSocketError`, or the error that
    ///   `WebSocketConfiguration.dynamicHeaders` threw.
    public static func connect(
        to url: String, webSocket: WebSocketConfiguration = WebSocketConfiguration(),
        configuration: SessionConfiguration = SessionConfiguration(), reconnect: ReconnectPolicy = .never,
        on eventLoops: WebSocketEventLoops = .shared
    ) async throws -> JSONRPCClient {
        let client = JSONRPCClient(
            connector: WebSocketConnector(to: url, configuration: webSocket, on: eventLoops)
                .queuing(atMost: configuration.calls.maximumQueuedBytes),
            configuration: configuration, reconnect: reconnect)
        try await client.connect()
        return client
    }

    /// Connects to a server over WebSocket, runs a closure, and closes the client.
    ///
    /// ```swift
    /// let version = try await JSONRPCClient.withConnection(to: "ws://127.0.0.1:6800/jsonrpc") { client in
    ///     try await client.call("aria2.getVersion", as: Version.self)
    /// }
    /// ```
    ///
    /// The client is closed when the closure returns or throws. If the task is cancelled, the client does not wait for
    /// calls that are still in flight. Otherwise it waits for them for at most `SessionConfiguration.drainTimeout`: see
    /// `JSONRPCClient.close(code:reason:)`.
    ///
    /// - Parameters:
    ///   - url: A `ws:`, `wss:`, `ws+unix:` or `wss+unix:` URL.
    ///   - webSocket: The options of the connection: TLS, proxy, header fields, subprotocols, limits, keepalive.
    ///   - configuration: The options of calls and messages.
    ///   - reconnect: Whether the client connects again when the connection is lost. The default is never.
    ///   - eventLoops: The event loops, one of which serves the connection. The default is a loop that the process
    ///     shares.
    ///   - prepare: Sets handlers and streams before the client connects, so that they miss no message.
    ///   - body: The closure, which runs when the client can make calls.
    /// - Returns: The result of the closure.
    /// - Throws: The errors of the closures, or the errors of ``connect(to:webSocket:configuration:reconnect:on:)``.
    public static func withConnection<Value>(
        to url: String, webSocket: WebSocketConfiguration = WebSocketConfiguration(),
        configuration: SessionConfiguration = SessionConfiguration(), reconnect: ReconnectPolicy = .never,
        on eventLoops: WebSocketEventLoops = .shared, prepare: (_ client: JSONRPCClient) throws -> Void = { _ in },
        _ body: (_ client: JSONRPCClient) async throws -> Value
    ) async throws -> Value {
        try await withConnection(
            connector: WebSocketConnector(to: url, configuration: webSocket, on: eventLoops)
                .queuing(atMost: configuration.calls.maximumQueuedBytes),
            configuration: configuration, reconnect: reconnect, prepare: prepare, body)
    }
}
