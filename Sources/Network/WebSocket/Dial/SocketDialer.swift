// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// The way to a server.
enum DialRoute: Sendable, Hashable {
    case unixSocket(path: String)
    case direct(host: URLHost, port: UInt16)
    /// A connection to the proxy, which then connects to the host.
    case proxy(HTTPProxy, host: URLHost, port: UInt16)
}

/// The part of a dial that makes a connected socket: name resolution, connection attempts, the proxy's CONNECT.
struct SocketDialer: Sendable {
    /// Returns the addresses of a host. It blocks until they are known.
    var lookUp: @Sendable (_ host: URLHost, _ port: UInt16) throws(WebSocketError) -> [SocketAddress] =
        SocketAddress.lookUp
    /// The delay between two attempts (RFC 8305 §5, "Connection Attempt Delay").
    var attemptDelay = Duration.milliseconds(250)

    /// Reads the files that TLS needs, and connects.
    ///
    /// - Returns: The socket, and the plan of its TLS handshake; `nil` for a connection without TLS.
    /// - Throws: ``WebSocketError``, or `CancellationError` as soon as the task is cancelled.
    func dial(
        _ route: DialRoute, tls: TLSPlan?, until deadline: ContinuousClock.Instant?
    ) async throws -> (socket: ConnectedSocket, tls: LoadedTLSPlan?) {
        try await DialWork.run(until: deadline) { abandonment in
            // TLS comes first, because reading its files can fail before a packet is sent.
            let loaded = try tls.map(LoadedTLSPlan.init)
            return (try connect(route, abandonment), loaded)
        }
    }

    /// Connects. Blocks until the socket is connected or the attempt is cancelled.
    func connect(_ route: DialRoute, _ abandonment: AbandonmentSignal) throws -> ConnectedSocket {
        switch route {
        case .unixSocket(let path):
            let name = String.printable(path)
            guard let address = SocketAddress(unixSocketPath: path) else {
                throw WebSocketError(
                    .invalidURL,
                    "Could not connect to the Unix domain socket \(name): the path is longer than 107 bytes.")
            }
            let race = ConnectionRace(destination: "the Unix domain socket \(name)", abandonment: abandonment)
            return try race.run([address], delay: attemptDelay)
        case .direct(let host, let port):
            return try race(host, port, destination: "\(host.hostField):\(port)", abandonment)
        case .proxy(let proxy, let host, let port):
            let destination = "the proxy \(proxy.host.hostField):\(proxy.port)"
            let socket = try race(proxy.host, proxy.port, destination: destination, abandonment)
            let tunnel = ProxyTunnel(credentials: proxy.credentials, authority: "\(host.hostField):\(port)")
            return try tunnel.open(through: socket, abandonment)
        }
    }

    private func race(
        _ host: URLHost, _ port: UInt16, destination: String, _ abandonment: AbandonmentSignal
    ) throws -> ConnectedSocket {
        try ConnectionRace(destination: destination, abandonment: abandonment)
            .run(try lookUp(host, port), delay: attemptDelay)
    }
}

/// A connected stream socket that is ready for TLS or for the opening handshake. It closes the descriptor when it is
/// freed, unless the descriptor was taken.
final class ConnectedSocket: Sendable {
    private let storage: Atomic<Int32>
    /// The name of the other end, for messages.
    let peer: String

    init(descriptor: Int32, peer: String) {
        storage = Atomic(descriptor)
        self.peer = peer
    }

    deinit {
        let descriptor = take()
        if descriptor >= 0 { Self.close(descriptor) }
    }

    static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    /// The descriptor; -1 if it was taken.
    var descriptor: Int32 { storage.load(ordering: .relaxed) }

    /// Takes the descriptor, which the caller must close.
    ///
    /// - Returns: The descriptor; -1 if it was taken before.
    func take() -> Int32 { storage.exchange(-1, ordering: .acquiringAndReleasing) }
}
