// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WebSocket

extension JSONRPCClient {
    /// Connects to a server over WebSocket, and returns the client when calls can be made.
    ///
    /// ```swift
    /// let client = try await JSONRPCClient.connect(to: "ws://127.0.0.1:6800/jsonrpc")
    /// let version: Version = try await client.call("aria2.getVersion")
    /// await client.close()
    /// ```
    ///
    /// Handlers and streams that must not miss the server's first message have to be set before there is a connection. For
    /// them, use `JSONRPCClient.init(connector:configuration:reconnect:)` with a ``WebSocketConnector``, then
    /// `JSONRPCClient.connect()`.
    ///
    /// - Parameters:
    ///   - url: A `ws:`, `wss:`, `ws+unix:` or `wss+unix:` URL.
    ///   - webSocket: Options of the connection: TLS, proxy, header fields, subprotocols, limits, liveness.
    ///   - configuration: Options of calls and messages.
    ///   - reconnect: Whether the client connects again when the connection is lost. The default is never.
    ///   - eventLoops: One of them serves the connection.
    /// - Throws: A `ClientError` with the code `connectFailed`; `CancellationError`. `ClientError.isRetryable` says whether
    ///   another attempt may succeed. The cause is a `WebSocketError`, or the error that
    ///   `WebSocketConfiguration.dynamicHeaders` threw.
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
    /// Connects to a server over WebSocket, runs a closure, and closes the client in every case.
    ///
    /// ```swift
    /// let version = try await JSONRPCClient.withConnection(to: "ws://127.0.0.1:6800/jsonrpc") { client in
    ///     try await client.call("aria2.getVersion", as: Version.self)
    /// }
    /// ```
    ///
    /// The client is closed when the closure returns, when it throws, and when the task is cancelled.
    /// `JSONRPCClient.close(code:reason:)` says how: calls that are still in flight may end for a while, but not in a
    /// cancelled task.
    ///
    /// - Parameters:
    ///   - url: A `ws:`, `wss:`, `ws+unix:` or `wss+unix:` URL.
    ///   - webSocket: Options of the connection: TLS, proxy, header fields, subprotocols, limits, liveness.
    ///   - configuration: Options of calls and messages.
    ///   - eventLoops: One of them serves the connection.
    ///   - body: Runs when calls can be made.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or what ``connect(to:webSocket:configuration:reconnect:on:)`` throws.
    public static func withConnection<Value>(
        to url: String, webSocket: WebSocketConfiguration = WebSocketConfiguration(),
        configuration: SessionConfiguration = SessionConfiguration(), on eventLoops: WebSocketEventLoops = .shared,
        _ body: (_ client: JSONRPCClient) async throws -> Value
    ) async throws -> Value {
        let client = try await connect(to: url, webSocket: webSocket, configuration: configuration, on: eventLoops)
        do {
            let value = try await body(client)
            await client.close()
            return value
        } catch {
            await client.close()
            throw error
        }
    }
}
