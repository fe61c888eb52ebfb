// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCSession
import TaskWaits
public import WebSocket

/// A listener that accepts JSON-RPC sessions over WebSocket.
///
/// ```swift
/// let listener = try await JSONRPCListener.listen { session in
///     session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
/// }
/// print("Serving on", listener.url)
/// await runUntilInterrupted { await listener.run() }
/// ```
///
/// The listener is meant for tests, for clients on the same machine, and for use behind a reverse proxy. It has no
/// limits for the rate of connections and calls, writes no access log, and does not reload certificates. Clients are
/// authenticated only by the accept closure and by TLS client certificates. See <doc:WritingAServer> and
/// <doc:Security>.
///
/// The event loop keeps a listener and its sessions, even after the program has dropped its last reference to the
/// listener. Call ``stop()`` or ``shutDown(within:)`` to end it, or shut down the event loops.
public final class JSONRPCListener: Sendable {
    /// The options of a listener.
    public struct Configuration: Sendable {
        /// The options of the sessions. The listener ignores `SessionConfiguration.answersUnreadableMessages`:
        /// ``answersUnreadableMessages`` replaces it.
        public var session = SessionConfiguration()
        /// Whether a message that is not JSON-RPC is answered with an error whose id is `null`, as JSON-RPC 2.0 §5
        /// requires of a server. The default is `true`.
        public var answersUnreadableMessages = true
        /// The options of the listener and its connections. The connections do not check that text is UTF-8, because
        /// the sessions do. Their `lowWaterBytes` is lowered to half of `SessionConfiguration.calls.maximumQueuedBytes`
        /// if it exceeds that.
        public var webSocket = WebSocketListener.Configuration()

        public init() {}
    }

    /// A client's request for a connection: path, header fields, subprotocols, the client's address, the TLS server
    /// name.
    public typealias Request = WebSocketListener.Request

    private let listener: WebSocketListener
    private let sessions: Watched<ListenerSessions>
    /// The part of a shutdown's time that is reserved for closing handshakes.
    private let closeTimeout: Duration

    private init(_ listener: WebSocketListener, _ sessions: Watched<ListenerSessions>, closeTimeout: Duration) {
        self.listener = listener
        self.sessions = sessions
        self.closeTimeout = closeTimeout
    }

    /// The port that the listener listens on; 0 for a Unix domain socket.
    public var port: Int { listener.port }

    /// The URL that a client on this machine connects to.
    public var url: String { listener.url }

    /// The open sessions, in no particular order.
    public var openSessions: [DuplexSession] { sessions.value.open.values.map(\.session) }

    // MARK: Listening

    /// Starts a listener that accepts every request that `WebSocketListener.Configuration` allows.
    ///
    /// - Parameters:
    ///   - address: The address to listen at. The default is 127.0.0.1 and a free port.
    ///   - configuration: The options of the sessions and of the listener.
    ///   - eventLoops: The event loops, one of which serves the listener and all its connections.
    ///   - accept: The closure that sets up a new session, for example its handlers, before its first message is read.
    ///     The closure is called on the service thread and must not block.
    /// - Returns: The listener, which clients can connect to from now on.
    /// - Throws: A `ClientError` with the code `listenFailed`. Its cause is a `WebSocketError`.
    public static func listen(
        at address: WebSocketListener.Address = .loopback, configuration: Configuration = Configuration(),
        on eventLoops: WebSocketEventLoops = .shared,
        accept: @escaping @Sendable (_ session: DuplexSession) -> Void
    ) async throws -> JSONRPCListener {
        try await listen(at: address, configuration: configuration, on: eventLoops) { session, _ in accept(session) }
    }

    /// Starts a listener that accepts or refuses each request in a closure.
    ///
    /// ```swift
    /// let listener = try await JSONRPCListener.listen { session, request in
    ///     guard request.path == "/rpc" else { throw WebSocketListener.UpgradeRefusal(status: 404) }
    ///     session.handle("add") { (terms: [Int]) in terms.reduce(0, &+) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - address: The address to listen at. The default is 127.0.0.1 and a free port.
    ///   - configuration: The options of the sessions and of the listener.
    ///   - eventLoops: The event loops, one of which serves the listener and all its connections.
    ///   - accept: The closure that sets up a new session before its first message is read, or throws an
    ///     `WebSocketListener.UpgradeRefusal`, for example to a client that is not authorized. Any other error is
    ///     answered with the status 500. The closure is called on the service thread and must not block.
    /// - Returns: The listener, which clients can connect to from now on.
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
            queuingAtMost: sessionConfiguration.calls.maximumQueuedBytes)
        let sessions = Watched(ListenerSessions())
        do {
            let listener = try await WebSocketListener.listen(
                at: address, configuration: webSocket, on: eventLoops,
                stopped: { sessions.update { $0.isListening = false } }
            ) { [sessionConfiguration] request in
                let session = DuplexSession(configuration: sessionConfiguration)
                do {
                    try accept(session, request)
                } catch {
                    return .refuse(because: error)
                }
                return .accept(
                    session.receiver,
                    ConnectionHooks(
                        opened: { connection in
                            sessions.withLock { $0.open[ObjectIdentifier(session)] = (session, connection) }
                        },
                        closed: { sessions.closed(session, tellSession: $0) }))
            }
            return JSONRPCListener(listener, sessions, closeTimeout: webSocket.connection.closeTimeout)
        } catch let error as WebSocketError {
            throw ClientError(
                .listenFailed, "Could not start the listener.", cause: error, isRetryable: error.isRetryable)
        }
    }

    // MARK: Stopping

    /// Waits until the task is cancelled, and then shuts down gracefully.
    ///
    /// The method also returns when the listener has stopped and its last session has ended, for example because
    /// another task has shut it down.
    ///
    /// - Parameter shutDownTimeout: The time limit of the shutdown: see ``shutDown(within:)``. The default is 10
    ///   seconds.
    public func run(shutDownTimeout: Duration = .seconds(10)) async {
        _ = try? await sessions.wait { $0.isOver }
        // The shutdown needs a task of its own, because sessions do not wait for calls in progress in a cancelled task.
        await Task { await shutDown(within: shutDownTimeout) }.value
    }

    /// Stops listening, closes all sessions with the close code 1001, and returns when they have ended.
    ///
    /// Calls in progress, in both directions, can finish in the first part of the time. The last part is for the
    /// closing handshakes: `WebSocketConfiguration.closeTimeout`, but at most half of the time. When the time is over,
    /// the remaining sessions are closed without a handshake. If the task is cancelled, the method does not wait for
    /// calls in progress.
    ///
    /// - Parameter limit: The time limit of the shutdown. The default is 10 seconds. Zero closes all sessions at once.
    public func shutDown(within limit: Duration = .seconds(10)) async {
        await stop()
        let open = sessions.value.open.values
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

    /// Stops listening, and frees the port before it returns. Sessions stay open.
    public func stop() async { await listener.stop() }
}

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
    /// For a server, use `JSONRPCListener`.
    ///
    /// - Parameters:
    ///   - address: The address to listen at. The default is 127.0.0.1 and a free port.
    ///   - configuration: The options of the listener and its connections.
    ///   - eventLoops: The event loops, one of which serves the listener and all its connections.
    ///   - receiver: The closure that makes the receiver of a connection, or throws a
    ///     `WebSocketListener.UpgradeRefusal`. Any other error is answered with the status 500. The closure is called
    ///     on the service thread and must not block.
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
                return .refuse(because: error)
            }
        }
    }
}

/// The open sessions of a listener.
private struct ListenerSessions: Sendable {
    var open: [ObjectIdentifier: (session: DuplexSession, connection: WebSocketConnection)] = [:]
    /// The number of sessions that are removed from `open` and are being notified that their connection has ended.
    var ending = 0
    var isListening = true

    /// Whether the listener has stopped and its last session has ended.
    var isOver: Bool { !isListening && open.isEmpty && ending == 0 }
}

extension Watched<ListenerSessions> {
    /// Removes a session whose connection has ended.
    ///
    /// - Parameter tellSession: The closure that tells the session. It runs after the session was removed from `open`
    ///   and before `isOver`. So a task that waits for the session does not find it in `open`, and a task that waits
    ///   for the end finds the session ended.
    fileprivate func closed(_ session: DuplexSession, tellSession: () -> Void) {
        withLock {
            $0.open[ObjectIdentifier(session)] = nil
            $0.ending += 1
        }
        tellSession()
        update { $0.ending -= 1 }
    }
}
