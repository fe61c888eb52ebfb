// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONRPCClient {
    /// Makes a client, connects it, runs a closure, and closes the client in all cases.
    ///
    /// ```swift
    /// let sum: Int = try await JSONRPCClient.withConnection(connector: connector) { client in
    ///     try await client.call("add", params: [1, 2])
    /// }
    /// ```
    ///
    /// When the closure returns or throws, calls in flight have ``SessionConfiguration/drainTimeout`` to end. If the
    /// task is cancelled, they end at once, and the closing handshake takes at most 500 ms. The function returns when
    /// the client is closed and its handlers are released.
    ///
    /// - Parameters:
    ///   - connector: Makes the connection.
    ///   - configuration: The options of the session.
    ///   - reconnect: Whether to connect again if the connection is lost. The default is ``ReconnectPolicy/never``.
    ///   - onConnect: A closure that is called with each new session before any other call is made: see
    ///     ``init(connector:configuration:reconnect:onConnect:)``. The default does nothing.
    ///   - prepare: A closure that is called before the client connects. Set handlers and make streams here that must
    ///     not miss the peer's first message.
    ///   - body: A closure that uses the client. It runs in the caller's task.
    /// - Returns: The value that the closure returns.
    /// - Throws: The errors of ``connect()``; the error that `prepare` or `body` throws.
    public static func withConnection<Value>(
        connector: any MessageConnector, configuration: SessionConfiguration = SessionConfiguration(),
        reconnect: ReconnectPolicy = .never, onConnect: (@Sendable (DuplexSession) async throws -> Void)? = nil,
        prepare: (JSONRPCClient) throws -> Void = { _ in },
        _ body: (JSONRPCClient) async throws -> Value
    ) async throws -> Value {
        let client = JSONRPCClient(
            connector: connector, configuration: configuration, reconnect: reconnect, onConnect: onConnect)
        let result: Result<Value, any Error>
        do {
            try prepare(client)
            try await client.connect()
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        await client.close()
        return try result.get()
    }
}
