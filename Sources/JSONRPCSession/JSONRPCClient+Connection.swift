// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONRPCClient {
    /// Connects, runs a closure with the client, and closes the client whatever happens.
    ///
    /// ```swift
    /// let sum: Int = try await JSONRPCClient.withConnection(connector: connector) { client in
    ///     try await client.call("add", params: [1, 2])
    /// }
    /// ```
    ///
    /// When the closure returns or throws, calls in flight have ``SessionConfiguration/drainTimeout`` to end. When the
    /// task is cancelled, they end at once, and the closing handshake takes at most 500 ms. The function returns when the
    /// client is closed and its handlers are released.
    ///
    /// - Parameters:
    ///   - connector: makes the connection.
    ///   - configuration: the options of the session.
    ///   - reconnect: whether to connect again when the connection is lost.
    ///   - prepare: is called before the client connects. Handlers and streams that must not miss the peer's first
    ///     message are made here.
    ///   - body: uses the client. Runs in the caller's task.
    /// - Returns: the value that the closure returns.
    /// - Throws: the errors of ``connect()``; the error that `prepare` or `body` throws.
    public static func withConnection<Value>(
        connector: any MessageConnector, configuration: SessionConfiguration = SessionConfiguration(),
        reconnect: ReconnectPolicy = .never, prepare: (JSONRPCClient) throws -> Void = { _ in },
        _ body: (JSONRPCClient) async throws -> Value
    ) async throws -> Value {
        let client = JSONRPCClient(connector: connector, configuration: configuration, reconnect: reconnect)
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
