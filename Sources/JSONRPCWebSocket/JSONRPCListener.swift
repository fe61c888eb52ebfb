// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WebSocket

/// Accepts JSON-RPC sessions over WebSocket: for tests, demonstrations, and peers on the same machine.
///
/// ```swift
/// let listener = try await JSONRPCListener.listen { session in
///     session.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
/// }
/// let client = try await JSONRPCClient.connect(to: listener.url)
/// ```
public final class JSONRPCListener: Sendable {
    /// How to listen.
    public struct Configuration: Sendable {
        /// The sessions that are made. `SessionConfiguration.answersUnreadableMessages` is true here,
        /// as JSON-RPC 2.0 §5 wants of a server.
        public var session: SessionConfiguration
        /// The listener and its connections, which check no text: the sessions do. Their `lowWaterBytes` counts as at
        /// most half of `SessionConfiguration.maximumQueuedBytes`.
        public var webSocket: WebSocketListener.Configuration

        public init(
            session: SessionConfiguration? = nil, webSocket: WebSocketListener.Configuration = .init()
        ) {
            var standard = SessionConfiguration()
            standard.answersUnreadableMessages = true
            self.session = session ?? standard
            self.webSocket = webSocket
        }
    }

    private let listener: WebSocketListener

    private init(_ listener: WebSocketListener) { self.listener = listener }

    /// Listens, until ``stop()`` is called or the event loops are shut down, and accepts every request that
    /// `WebSocketListener.Configuration` allows.
    ///
    /// - Parameters:
    ///   - address: Where to listen. The default is 127.0.0.1 and a free port.
    ///   - configuration: The sessions, and the listener.
    ///   - eventLoops: One of them serves the listener and all its connections.
    ///   - accept: Sets a new session up before its first message is read: the place for `handle`. It is called on the
    ///     service thread and must not block.
    /// - Throws: `WebSocketError` with the code `listenFailed`.
    public static func listen(
        at address: WebSocketListener.Address = .loopback, configuration: Configuration = Configuration(),
        on eventLoops: WebSocketEventLoops = .shared,
        accept: @escaping @Sendable (DuplexSession) -> Void
    ) async throws -> JSONRPCListener {
        try await listen(at: address, configuration: configuration, on: eventLoops) { session, _ in
            accept(session)
            return .accept
        }
    }

    /// What to do with a request for a session.
    public enum Decision: Sendable, Hashable {
        case accept
        /// Answer with this HTTP status, from 200 to 599. Any other number becomes 500.
        case refuse(status: Int)
    }

    /// Listens, until ``stop()`` is called or the event loops are shut down, and asks about each request.
    ///
    /// - Parameters:
    ///   - address: Where to listen. The default is 127.0.0.1 and a free port.
    ///   - configuration: The sessions, and the listener.
    ///   - eventLoops: One of them serves the listener and all its connections.
    ///   - accept: Looks at the request (path, header fields, subprotocols, the client's address), and sets a new
    ///     session up before its first message is read, or refuses: the place to authenticate clients. It is called on
    ///     the service thread and must not block.
    /// - Throws: `WebSocketError` with the code `listenFailed`.
    public static func listen(
        at address: WebSocketListener.Address = .loopback, configuration: Configuration = Configuration(),
        on eventLoops: WebSocketEventLoops = .shared,
        accept: @escaping @Sendable (DuplexSession, WebSocketListener.Request) -> Decision
    ) async throws -> JSONRPCListener {
        var webSocket = configuration.webSocket
        webSocket.connection = webSocket.connection.forSessions(
            queuingAtMost: configuration.session.maximumQueuedBytes)
        let listener = try await WebSocketListener.listen(at: address, configuration: webSocket, on: eventLoops) {
            request in
            let session = DuplexSession(configuration: configuration.session)
            switch accept(session, request) {
            case .accept:
                return .accept(WebSocketReceiver(session.receiver))
            case .refuse(let status):
                return .refuse(status: status)
            }
        }
        return JSONRPCListener(listener)
    }

    /// The port that is listened on; 0 for a unix socket.
    public var port: Int { listener.port }

    /// The URL under which a client on this machine finds the listener.
    public var url: String { listener.url }

    /// Stops listening. Sessions that were accepted go on.
    public func stop() async { await listener.stop() }
}
