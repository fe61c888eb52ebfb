// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Accepts WebSocket connections.
///
/// The listener is meant for programs on the same machine, for tests, and for a place behind a reverse proxy. It has no
/// limit for the rate of connections, writes no access log, does not reload certificates, and authenticates nobody: the
/// `accept` closure has to.
///
/// Only requests that RFC 6455 §4.2.1 describes are accepted: `GET`, HTTP/1.1, version 13. By default, the listener
/// refuses web pages (``Configuration/allowedOrigins``), and on a loopback address also names that are not this machine's
/// (``Configuration/allowedHosts``).
///
/// The event loop keeps a listener that listens: it goes on until ``stop()``, or until the event loops are shut down,
/// whether or not the program keeps a reference.
public final class WebSocketListener: Sendable {
    /// Where to listen.
    public enum Address: Sendable, Hashable, CustomStringConvertible {
        /// A numeric address of this machine, such as `127.0.0.1` or `::1`, and a port; port 0 takes a free one.
        case host(String, port: Int)
        /// The path of a unix socket, which is made, and removed when the listener stops. A socket that is left there
        /// from before is replaced if nobody listens at it; any other file is an error.
        case unixSocket(String)

        /// 127.0.0.1 and a free port.
        public static let loopback = Self.host("127.0.0.1", port: 0)

        public var description: String {
            switch self {
            case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .unixSocket(let path): path
            }
        }
    }

    /// How to listen.
    public struct Configuration: Sendable {
        /// The subprotocols that can be chosen. The client's order decides. A client which offers subprotocols, and
        /// none of these, is refused with 400.
        public var subprotocols: [String] = []
        /// Makes the listener speak TLS.
        public var tls: TLSListenerConfiguration?
        /// The web pages that may connect. The default is none: a request with an `Origin` field is answered 403.
        public var allowedOrigins = OriginPolicy.noPages
        /// The names that the `Host` field may have, without a port, in any case.
        ///
        /// On a loopback address `localhost` and the loopback addresses are always allowed, and other names are answered
        /// 403: a web page whose name was made to resolve to this machine sends that name (DNS rebinding). On other
        /// addresses every name is allowed as long as this is empty, which it is by default.
        public var allowedHosts: Set<String> = []
        /// The time from the TCP connection to the end of the upgrade request, TLS included. Whoever takes longer is
        /// disconnected. The default is 10 seconds.
        public var handshakeTimeout = Duration.seconds(10)
        /// The most open connections. A further request is answered 503, and clients beyond 16 such requests wait in the
        /// system's queue. The default is 4096.
        public var maximumConnections = 4096
        /// The most open connections from one address. A further request is answered 503. The default is 1024.
        ///
        /// As for ``maximumConnections``, a connection counts when its opening handshake is done. Connections whose
        /// handshake goes on are bounded too: an address may have 16 of them beyond this limit, and further ones are
        /// closed at once. Unix domain sockets have no address, so the limit does not apply to them.
        public var maximumConnectionsPerPeer = 1024
        /// The bytes that unfinished messages of all connections may take together. The connection that exceeds it is
        /// closed with 1013. The default is 256 MiB.
        public var unfinishedMessageBytes = 256 << 20
        /// The time from a message's first byte to its last. A connection that exceeds it is closed with 1008. The
        /// default is 60 seconds.
        public var unfinishedMessageTimeout = Duration.seconds(60)
        /// How the accepted connections behave. What concerns dialling is ignored.
        public var connection = WebSocketConfiguration()

        public init() {}
    }

    private let id: UInt64
    private let thread: LWSServiceThread
    private let address: Address
    /// The port that is listened on; 0 for a unix socket.
    public let port: Int

    private static let nextID = Atomic<UInt64>(1)

    private let isSecure: Bool

    private init(id: UInt64, thread: LWSServiceThread, address: Address, port: Int, isSecure: Bool) {
        self.id = id
        self.thread = thread
        self.address = address
        self.port = port
        self.isSecure = isSecure
    }

    /// Listens, until ``stop()`` is called or the event loops are shut down.
    ///
    /// - Parameters:
    ///   - address: Where to listen. The default is 127.0.0.1 and a free port.
    ///   - configuration: How to accept connections, and how they behave.
    ///   - loops: One of them serves the listener and all its connections.
    ///   - accept: Makes the handler of a connection, or refuses the request. It is called on the service thread and must
    ///     not block.
    /// - Throws: ``WebSocketError`` with the code `listenFailed`, and the system's reason as
    ///   ``WebSocketError/systemError``; or `invalidConfiguration` for certificates that cannot be used.
    public static func listen(
        at address: Address = .loopback, configuration: Configuration = Configuration(),
        on loops: WebSocketEventLoops = .shared, accept: @escaping @Sendable (Request) -> Decision
    ) async throws -> WebSocketListener {
        try await listen(at: address, configuration: configuration, on: loops, stopped: {}, accept: accept)
    }

    /// - Parameter stopped: Called once, on the service thread, when the listener has stopped, for whatever reason. All
    ///   connections that it accepts have been opened by then.
    package static func listen(
        at address: Address, configuration: Configuration, on loops: WebSocketEventLoops,
        stopped: @escaping @Sendable () -> Void, accept: @escaping @Sendable (Request) -> Decision
    ) async throws -> WebSocketListener {
        try address.check()
        try Subprotocols.validate(configuration.subprotocols)
        let id = nextID.wrappingAdd(1, ordering: .relaxed).oldValue
        let thread = loops.nextThread()
        let tls = try configuration.tls.map(TLSServer.init)
        let port = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int, any Error>) in
            let request = ListenRequest(
                id: id, address: address, configuration: configuration, tls: tls, accept: accept,
                stopped: stopped, completion: { continuation.resume(with: $0.mapError { $0 as any Error }) })
            if !thread.post(.listen(request)) { LWSContext.refuse(.listen(request)) }
        }
        return WebSocketListener(id: id, thread: thread, address: address, port: port, isSecure: tls != nil)
    }

    /// The URL under which a client on this machine finds the listener.
    public var url: String {
        switch address {
        case .host(let host, _):
            "\(isSecure ? "wss" : "ws")://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
        case .unixSocket(let path):
            "\(isSecure ? "wss" : "ws")+unix:\(path)"
        }
    }

    /// Stops listening, and frees the port before it returns. Open connections go on. Clients whose opening handshake is
    /// not done are disconnected.
    public func stop() async {
        await withCheckedContinuation { continuation in
            let command = LWSServiceThread.Command.stopListening(id) { continuation.resume() }
            if !thread.post(command) { LWSContext.refuse(command) }
        }
    }
}
