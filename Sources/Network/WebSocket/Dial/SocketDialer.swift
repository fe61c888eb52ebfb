// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// A connected socket, and the TLS handshake to do over it.
struct DialledSocket: Sendable {
    let socket: ConnectedSocket
    /// The TLS handshake; `nil` for a connection without TLS.
    let handshake: TLSHandshake?
}

/// The part of a dial that makes a connected socket: name resolution, connection attempts, the proxy's CONNECT.
struct SocketDialer: Sendable {
    var resolver = AddressResolver.system
    /// The delay between two attempts (RFC 8305 §5, "Connection Attempt Delay").
    var attemptDelay = Duration.milliseconds(250)

    /// Reads the files that TLS needs, and connects.
    ///
    /// - Throws: ``WebSocketError``, or `CancellationError` as soon as the task is cancelled.
    func dial(
        _ route: DialRoute, tls: TLSPlan?, until deadline: ContinuousClock.Instant?
    ) async throws -> DialledSocket {
        try await DialWork.run(until: deadline) { abandonment in
            // TLS comes first, because reading its files can fail before a packet is sent.
            let handshake = try tls.map(TLSHandshake.init)
            return DialledSocket(socket: try connect(route, abandonment), handshake: handshake)
        }
    }

    /// Connects.
    ///
    /// - Throws: ``WebSocketError``, or `CancellationError` as soon as the task is cancelled.
    func connect(_ route: DialRoute, until deadline: ContinuousClock.Instant?) async throws -> ConnectedSocket {
        try await DialWork.run(until: deadline) { abandonment in
            try connect(route, abandonment)
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
        let addresses = try resolver.lookUp(host, port)
        return try ConnectionRace(destination: destination, abandonment: abandonment)
            .run(addresses, delay: attemptDelay)
    }
}
