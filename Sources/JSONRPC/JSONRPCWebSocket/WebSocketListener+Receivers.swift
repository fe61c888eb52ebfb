// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WebSocket

extension WebSocketListener {
    /// Starts a listener that gives the messages of each connection to a receiver of its own, without a session. Use
    /// it for a peer that a test controls over real sockets:
    ///
    /// ```swift
    /// let peer = ScriptedPeer()
    /// let listener = try await WebSocketListener.listen { _ in peer.receiver }
    /// let client = try await JSONRPCClient.connect(to: listener.url)
    /// ```
    ///
    /// For a server, use ``JSONRPCListener``.
    ///
    /// - Parameters:
    ///   - address: The address to listen at. The default is 127.0.0.1 and a free port.
    ///   - configuration: The options of the listener and its connections.
    ///   - eventLoops: The event loops, one of which serves the listener and all its connections.
    ///   - receiver: The closure that makes the receiver of a connection, or throws a `WebSocketListener.UpgradeRefusal`. Any other error
    ///     is answered with the status 500. The closure is called on the service thread and must not block.
    /// - Returns: The listener, which clients can connect to from now on.
    /// - Throws: `WebSocketError` with the code `listenFailed` or `invalidConfiguration`.
    public static func listen(
        at address: Address = .loopback, configuration: Configuration = Configuration(),
        on eventLoops: WebSocketEventLoops = .shared,
        receiver: @escaping @Sendable (Request) throws -> any MessageReceiver
    ) async throws -> WebSocketListener {
        try await listen(at: address, configuration: configuration, on: eventLoops) { request in
            do {
                return .accept(try receiver(request))
            } catch {
                return .refuse(
                    error as? WebSocketListener.UpgradeRefusal ?? WebSocketListener.UpgradeRefusal(status: 500))
            }
        }
    }
}
