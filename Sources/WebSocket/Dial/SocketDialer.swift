// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// A socket that is connected, and what TLS over it is to prove.
struct DialledSocket: Sendable {
    let socket: ConnectedSocket
    /// Nil for a connection without TLS.
    let handshake: TLSHandshake?
}

/// Turns a route into a connected socket: name resolution, connection attempts, the proxy's CONNECT.
struct SocketDialer: Sendable {
    var resolver = AddressResolver.system
    /// The lead of one attempt over the next (RFC 8305 §5, "Connection Attempt Delay").
    var attemptDelay = Duration.milliseconds(250)

    /// Reads what TLS needs, and connects.
    ///
    /// - Throws: ``WebSocketError``; `CancellationError` as soon as the task is cancelled.
    func dial(_ plan: DialPlan, until deadline: ContinuousClock.Instant?) async throws -> DialledSocket {
        try await DialWork.run(until: deadline) { abandonment in
            // First what can fail without a packet being sent.
            let handshake = try plan.tls.map(TLSHandshake.init)
            return DialledSocket(socket: try connect(plan.route, abandonment), handshake: handshake)
        }
    }

    /// Connects.
    ///
    /// - Throws: ``WebSocketError``; `CancellationError` as soon as the task is cancelled.
    func connect(_ route: DialPlan.Route, until deadline: ContinuousClock.Instant?) async throws -> ConnectedSocket {
        try await DialWork.run(until: deadline) { abandonment in
            try connect(route, abandonment)
        }
    }

    /// Blocks until the socket is connected, or somebody gave up.
    func connect(_ route: DialPlan.Route, _ abandonment: AbandonmentSignal) throws -> ConnectedSocket {
        switch route {
        case .unixSocket(let path):
            let name = String.printable(path)
            guard let address = SocketAddress(unixSocketPath: path) else {
                throw WebSocketError(.invalidURL, "The path \(name) is too long for a Unix domain socket.")
            }
            let race = ConnectionRace(destination: "The Unix domain socket \(name)", abandonment: abandonment)
            return try race.run([address], delay: attemptDelay)
        case .direct(let host, let port):
            return try race(host, port, destination: "\(host.hostField):\(port)", abandonment)
        case .proxy(let proxy, let host, let port):
            let destination = "The proxy \(proxy.host.hostField):\(proxy.port)"
            let socket = try race(proxy.host, proxy.port, destination: destination, abandonment)
            let tunnel = ProxyTunnel(credentials: proxy.credentials, authority: "\(host.hostField):\(port)")
            return try tunnel.open(through: socket, abandonment)
        }
    }

    private func race(
        _ host: WebSocketHost, _ port: UInt16, destination: String, _ abandonment: AbandonmentSignal
    ) throws -> ConnectedSocket {
        let addresses = try resolver.lookUp(host, port)
        return try ConnectionRace(destination: destination, abandonment: abandonment)
            .run(addresses, delay: attemptDelay)
    }
}
