// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A listener that accepts WebSocket connections.
///
/// The listener is meant for tests, for clients on the same machine, and for use behind a reverse proxy. It does not
/// limit the rate of connections, writes no access log, and does not reload certificates. It authenticates clients only
/// by TLS client certificates. The `accept` closure can do more.
///
/// Requests must follow RFC 6455 §4.2.1: `GET`, HTTP/1.1, version 13. By default, the listener refuses requests from
/// web pages (``Configuration/allowedOrigins``). On a loopback address, it also refuses names other than those of this
/// machine (``Configuration/allowedHosts``).
///
/// The event loop retains the listener. The listener ends with ``stop()``, or when the event loops are shut down.
public final class WebSocketListener: Sendable {
    /// An address to listen at.
    public enum Address: Sendable, Hashable, CustomStringConvertible {
        /// A numeric address of this machine, such as `127.0.0.1` or `::1`, and a port. For port 0, the system chooses
        /// a free port.
        case host(String, port: Int)
        /// The path of a Unix domain socket, at most 107 bytes.
        ///
        /// The listener creates the socket, and removes it when it stops. An existing socket is replaced if no process
        /// listens at it. Any other existing file is an error.
        case unixSocket(String)

        /// 127.0.0.1 and a free port.
        public static let loopback = Self.host("127.0.0.1", port: 0)

        /// The host and the port, or the path.
        public var description: String {
            switch self {
            case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .unixSocket(let path): path
            }
        }
    }

    /// The options of a listener.
    public struct Configuration: Sendable {
        /// The subprotocols that the listener can choose. The default is none.
        ///
        /// The listener chooses the first subprotocol in the client's order that it supports. A client that offers only
        /// other subprotocols is refused with 400.
        public var subprotocols: [String] = []
        /// The options of TLS. The default is `nil`: no TLS.
        public var tls: TLSListenerConfiguration?
        /// The web pages that may connect. The default is none: a request with an `Origin` field is answered with 403.
        public var allowedOrigins = WebSocketListener.OriginPolicy.noPages
        /// The allowed names in the `Host` field, without a port. Case is ignored. The default is none.
        ///
        /// On a loopback address, `localhost` and the loopback addresses are always allowed, and other names are
        /// answered with 403. This stops DNS rebinding, in which a web page sends a name that resolves to this machine.
        /// On other addresses, every name is allowed while this set is empty.
        public var allowedHosts: Set<String> = []
        /// The time limit from the TCP connection to the end of the upgrade request, including TLS. Slower clients are
        /// disconnected. The default is 10 seconds.
        public var handshakeTimeout = Duration.seconds(10)
        /// The maximum number of open connections. Further requests are answered with 503. At most 16 such clients are
        /// accepted at a time, and more wait in the system's queue. The default is 4096.
        public var maximumConnections = 4096
        /// The maximum number of open connections from one address. Further requests are answered with 503. The default
        /// is 1024.
        ///
        /// All IPv6 addresses with the same first 64 bits count as one address, because a client can use all of them.
        ///
        /// As with ``maximumConnections``, a connection counts after its opening handshake. An address can have 16
        /// unfinished handshakes beyond this limit. Further connections are closed at once. Unix domain sockets have no
        /// address, so the limit does not apply to them.
        public var maximumConnectionsPerPeer = 1024
        /// The maximum memory for the unfinished messages of all connections together, in bytes. A connection that
        /// exceeds the limit is closed with 1013. The default is 256 MiB.
        public var unfinishedMessageBytes = 256 << 20
        /// The time limit from a message's first byte to its last. A connection that exceeds the limit is closed with
        /// 1008. The default is 60 seconds.
        public var unfinishedMessageTimeout = Duration.seconds(60)
        /// The options of the accepted connections. Options for connecting are ignored.
        public var connection = WebSocketConfiguration()

        public init() {}
    }

    private let id: UInt64
    private let thread: LWSServiceThread
    private let address: Address
    /// The port that the listener listens on, or 0 for a Unix domain socket.
    public let port: Int

    private let isSecure: Bool

    private init(id: UInt64, thread: LWSServiceThread, address: Address, port: Int, isSecure: Bool) {
        self.id = id
        self.thread = thread
        self.address = address
        self.port = port
        self.isSecure = isSecure
    }

    /// Starts a listener, which listens until ``stop()`` is called or the event loops are shut down.
    ///
    /// - Parameters:
    ///   - address: The address to listen at. The default is 127.0.0.1 and a free port.
    ///   - configuration: The options of the listener and its connections.
    ///   - loops: The event loops, one of which serves the listener and all its connections.
    ///   - accept: A closure that returns the receiver of a connection, or refuses the request. It is called on the
    ///     service thread and must not block. It may be released when the listener stops.
    /// - Returns: The listener. Clients can connect to it from now on.
    /// - Throws: ``WebSocketError`` with the code ``WebSocketError/Code/listenFailed``, and the system's reason as
    ///   ``WebSocketError/systemError``. The code is ``WebSocketError/Code/invalidConfiguration`` for certificates and
    ///   subprotocols that cannot be used.
    public static func listen(
        at address: Address = .loopback, configuration: Configuration = Configuration(),
        on loops: WebSocketEventLoops = .shared, accept: @escaping @Sendable (Request) -> Decision
    ) async throws -> WebSocketListener {
        try await listen(at: address, configuration: configuration, on: loops, stopped: {}, accept: accept)
    }

    /// Starts a listener that reports its end.
    ///
    /// - Parameter stopped: A closure that is called once, on the service thread, when the listener has stopped for any
    ///   reason. All accepted connections were opened before that.
    package static func listen(
        at address: Address, configuration: Configuration, on loops: WebSocketEventLoops,
        stopped: @escaping @Sendable () -> Void, accept: @escaping @Sendable (Request) -> Decision
    ) async throws -> WebSocketListener {
        _ = try address.socketAddress()
        try configuration.connection.engine.implementation?.check(configuration, at: address)
        try DialPlan.validate(subprotocols: configuration.subprotocols)
        let id = LoopMemberID.next()
        let thread = loops.nextThread()
        let tls: TLSServer?
        do throws(SocketError) { tls = try configuration.tls.map(TLSServer.init) } catch { throw WebSocketError(error) }
        let request = ListenRequest(
            id: id, address: address, configuration: configuration, tls: tls, accept: accept, stopped: stopped)
        let port = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int, any Error>) in
            thread.post(
                LoopCommand { context in
                    continuation.resume(with: Result { try start(request, on: context) })
                } refuse: {
                    continuation.resume(throwing: WebSocketError.loopsStopped($0))
                })
        }
        return WebSocketListener(id: id, thread: thread, address: address, port: port, isSecure: tls != nil)
    }

    /// Listens, on the service thread, and returns the port.
    private static func start(_ request: ListenRequest, on context: LWSContext) throws(WebSocketError) -> Int {
        guard let engine = request.configuration.connection.engine.implementation else {
            return try ListenerDriver(context: context, request: request).port
        }
        return try EngineListener(context: context, request: request, engine: engine).port
    }

    /// The URL for clients on this machine.
    public var url: String {
        switch address {
        case .host(let host, _):
            "\(isSecure ? "wss" : "ws")://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
        case .unixSocket(let path):
            "\(isSecure ? "wss" : "ws")+unix:\(path)"
        }
    }

    /// Stops listening, and frees the port before it returns. Connections stay open. Clients whose opening handshake is
    /// not done are disconnected.
    public func stop() async {
        let id = id
        await withCheckedContinuation { continuation in
            thread.post(
                LoopCommand { context in
                    (context.member(id) as? any ListeningMember)?.stop()
                    continuation.resume()
                } refuse: { _ in
                    continuation.resume()
                })
        }
    }

    /// The web pages that may connect to a listener.
    ///
    /// A browser lets every page open a WebSocket to every address, including the user's own machine, and sends the
    /// page's origin in the `Origin` field (RFC 6455 §10.2). Other programs send no such field and are not affected.
    public enum OriginPolicy: Sendable, Hashable {
        /// No web page: a request with an `Origin` field is answered with 403. This is the default.
        case noPages
        /// Pages with these origins, such as `https://app.example`. Origins are compared as text. `null` is the origin
        /// of pages without an origin, such as local files.
        case only(Set<String>)
        /// Every web page. Only use this for a service that every user of the web may see and use.
        case anyPage

        func allows(_ origin: String) -> Bool {
            switch self {
            case .noPages: false
            case .only(let origins): origins.contains(origin)
            case .anyPage: true
            }
        }
    }
}
