// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
public import WebSocket

/// Accepts JSON-RPC sessions over WebSocket.
///
/// ```swift
/// let listener = try await JSONRPCListener.listen(at: .host("127.0.0.1", port: 8080)) { session in
///     session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
/// }
/// await listener.run()
/// ```
///
/// The listener is meant for programs on the same machine, for tests, and for a place behind a reverse proxy. To serve
/// other machines directly, these parts are missing: limits for the rate of connections and calls, an access log,
/// reloading of certificates, and authentication other than what the accept closure and TLS client certificates do. See
/// <doc:WritingAServer> and <doc:Security>.
///
/// The event loop keeps a listener and its sessions. Both go on when the program drops its last reference to the listener:
/// until ``stop()``, ``shutDown(within:)`` or the end of ``run(shutDownTimeout:)``, or until the event loops are shut down.
public final class JSONRPCListener: Sendable {
    /// Options of a listener.
    public struct Configuration: Sendable {
        /// Options of the sessions. `SessionConfiguration.answersUnreadableMessages` is not used:
        /// ``answersUnreadableMessages`` replaces it.
        public var session = SessionConfiguration()
        /// Whether a message that is not JSON-RPC is answered with an error whose id is `null`, as JSON-RPC 2.0 §5 demands
        /// of a server. The default is `true`.
        public var answersUnreadableMessages = true
        /// Options of the listener and its connections. The connections do not check that text is UTF-8, because the
        /// sessions do. Their `lowWaterBytes` counts as at most half of `SessionConfiguration.maximumQueuedBytes`.
        public var webSocket = WebSocketListener.Configuration()

        public init() {}
    }

    /// A client's request for a connection: path, header fields, subprotocols, the client's address, the TLS server name.
    public typealias Request = WebSocketListener.Request

    private let listener: WebSocketListener
    private let sessions: ListenerSessions
    /// The part of the time for a shutdown that closing handshakes need.
    private let closeTimeout: Duration

    private init(_ listener: WebSocketListener, _ sessions: ListenerSessions, closeTimeout: Duration) {
        self.listener = listener
        self.sessions = sessions
        self.closeTimeout = closeTimeout
    }

    /// The port that is listened on; 0 for a Unix domain socket.
    public var port: Int { listener.port }

    /// The URL at which a client on this machine reaches the listener.
    public var url: String { listener.url }

    /// The open sessions, in no particular order.
    public var openSessions: [DuplexSession] { sessions.open.map(\.session) }
}

// MARK: - Listening

extension JSONRPCListener {
    /// Starts a listener that accepts every request which `WebSocketListener.Configuration` allows.
    ///
    /// - Parameters:
    ///   - address: Where to listen. The default is 127.0.0.1 and a free port.
    ///   - configuration: Options of the sessions and of the listener.
    ///   - eventLoops: One of them serves the listener and all its connections.
    ///   - accept: Sets a new session up before its first message is read: the place for `handle`. It is called on the
    ///     service thread and must not block.
    /// - Throws: A `ClientError` with the code `listenFailed`. Its cause is a `WebSocketError`.
    public static func listen(
        at address: WebSocketListener.Address = .loopback, configuration: Configuration = Configuration(),
        on eventLoops: WebSocketEventLoops = .shared,
        accept: @escaping @Sendable (_ session: DuplexSession) -> Void
    ) async throws -> JSONRPCListener {
        try await listen(at: address, configuration: configuration, on: eventLoops) { session, _ in accept(session) }
    }

    /// Starts a listener that asks a closure about each request.
    ///
    /// ```swift
    /// let listener = try await JSONRPCListener.listen { session, request in
    ///     guard request.path == "/rpc" else { throw UpgradeRefusal(status: 404) }
    ///     session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - address: Where to listen. The default is 127.0.0.1 and a free port.
    ///   - configuration: Options of the sessions and of the listener.
    ///   - eventLoops: One of them serves the listener and all its connections.
    ///   - accept: Sets a new session up before its first message is read, or throws an `UpgradeRefusal`: the place to
    ///     authenticate clients. Any other error is answered with the status 500. The closure is called on the service
    ///     thread and must not block.
    /// - Throws: A `ClientError` with the code `listenFailed`. Its cause is a `WebSocketError`.
    public static func listen(
        at address: WebSocketListener.Address = .loopback, configuration: Configuration = Configuration(),
        on eventLoops: WebSocketEventLoops = .shared,
        accept: @escaping @Sendable (_ session: DuplexSession, _ request: Request) throws -> Void
    ) async throws -> JSONRPCListener {
        var sessionConfiguration = configuration.session
        sessionConfiguration.answersUnreadableMessages = configuration.answersUnreadableMessages
        var webSocket = configuration.webSocket
        webSocket.connection = webSocket.connection.forSessions(
            queuingAtMost: sessionConfiguration.maximumQueuedBytes)
        let sessions = ListenerSessions()
        do {
            let listener = try await WebSocketListener.listen(
                at: address, configuration: webSocket, on: eventLoops, stopped: { sessions.stoppedListening() }
            ) { [sessionConfiguration] request in
                let session = DuplexSession(configuration: sessionConfiguration)
                do {
                    try accept(session, request)
                } catch {
                    return .refuse(error as? UpgradeRefusal ?? UpgradeRefusal(status: 500))
                }
                return .accept(
                    WebSocketReceiver(
                        session.receiver, opened: { sessions.opened(session, $0) },
                        closed: { sessions.closed(session, tellSession: $0) }))
            }
            return JSONRPCListener(listener, sessions, closeTimeout: webSocket.connection.closeTimeout)
        } catch let error as WebSocketError {
            throw ClientError(
                .listenFailed, "The listener could not be started.", cause: error, isRetryable: error.isRetryable)
        }
    }
}

// MARK: - Stopping

extension JSONRPCListener {
    /// Waits until the task is cancelled, and then shuts down gracefully.
    ///
    /// It also returns when another task has shut the listener down, and when the listener has stopped and its last session
    /// has ended.
    ///
    /// - Parameter shutDownTimeout: The time for the shutdown, see ``shutDown(within:)``. The default is 10 seconds.
    public func run(shutDownTimeout: Duration = .seconds(10)) async {
        await sessions.untilOver()
        // A task of its own: in a cancelled task, sessions would not wait for calls in progress.
        await Task { await shutDown(within: shutDownTimeout) }.value
    }

    /// Stops listening, closes all sessions with the close code 1001, and returns when they have ended.
    ///
    /// Calls in progress, in both directions, may finish for all of the time but its last part, in which the closing
    /// handshakes are done: `WebSocketConfiguration.closeTimeout`, at most half of the time. Sessions that are left when
    /// the time is over are cut without a handshake. If the task is cancelled, calls in progress are not waited for.
    ///
    /// - Parameter limit: The default is 10 seconds. Zero cuts all sessions at once.
    public func shutDown(within limit: Duration = .seconds(10)) async {
        await stop()
        let open = sessions.open
        let drain = max(limit - min(limit / 2, closeTimeout), .zero)
        let cutter = Task {
            try await Task.sleep(for: limit)
            for entry in open { entry.connection.close(code: .goingAway, deadline: .zero) }
        }
        await withDiscardingTaskGroup { group in
            for entry in open {
                group.addTask { await entry.session.close(code: 1001, reason: "", drain: drain) }
            }
        }
        cutter.cancel()
    }

    /// Stops listening, and frees the port before it returns. Sessions go on.
    public func stop() async { await listener.stop() }
}
