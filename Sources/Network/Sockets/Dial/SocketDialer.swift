// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import HTTPSyntax
import Synchronization

package enum DialRoute: Sendable, Hashable {
    case unixSocket(path: String)
    case direct(host: URLHost, port: UInt16)
    /// A connection to the proxy, which then connects to the host.
    case proxy(HTTPProxy, host: URLHost, port: UInt16)

    /// The other end of a client's connection: the server, or the proxy.
    package enum Hop: Sendable {
        /// A numeric address.
        case address(String, port: UInt16)
        case unixSocket(String)
    }
}

/// The part of a dial that makes a connected socket: name resolution, connection attempts, the proxy's CONNECT.
package struct SocketDialer: Sendable {
    /// Returns the addresses of a host. It blocks until they are known.
    let lookUp: @Sendable (_ host: URLHost, _ port: UInt16) throws(SocketError) -> [SocketAddress]
    /// The delay between two attempts (RFC 8305 §5, "Connection Attempt Delay").
    let attemptDelay: Duration

    package init(
        lookUp: @escaping @Sendable (_ host: URLHost, _ port: UInt16) throws(SocketError) -> [SocketAddress] =
            SocketAddress.lookUp,
        attemptDelay: Duration = .milliseconds(250)
    ) {
        self.lookUp = lookUp
        self.attemptDelay = attemptDelay
    }

    /// Reads the files that TLS needs, and connects. Returns the socket and the plan of its TLS handshake, or `nil` as
    /// the plan without TLS. Throws ``SocketError``, or `CancellationError` as soon as the task is cancelled.
    package func dial(
        _ route: DialRoute, tls: TLSPlan?, until deadline: ContinuousClock.Instant?
    ) async throws -> (socket: ConnectedSocket, tls: LoadedTLSPlan?) {
        try await DialWork.run(until: deadline) { abandonment in
            // TLS is first, because reading its files can fail before a packet is sent.
            let loaded = try tls.map(LoadedTLSPlan.init)
            return (try connect(route, abandonment), loaded)
        }
    }

    /// Reads the files that TLS needs, and finds the address of the server or the proxy, for a caller that connects by
    /// itself. Several addresses are raced, and the winning socket is closed. Throws as ``dial(_:tls:until:)`` does.
    package func locate(
        _ route: DialRoute, tls: TLSPlan?, until deadline: ContinuousClock.Instant?
    ) async throws -> (hop: DialRoute.Hop, tls: LoadedTLSPlan?) {
        try await DialWork.run(until: deadline) { abandonment in
            let loaded = try tls.map(LoadedTLSPlan.init)
            return (try hop(to: route, abandonment), loaded)
        }
    }

    private func hop(to route: DialRoute, _ abandonment: AbandonmentSignal) throws -> DialRoute.Hop {
        let (host, port): (URLHost, UInt16)
        switch route {
        case .unixSocket(let path): return .unixSocket(path)
        case .direct(let name, let number): (host, port) = (name, number)
        case .proxy(let proxy, _, _): (host, port) = (proxy.host, proxy.port)
        }
        let addresses = try lookUp(host, port)
        var address = addresses.first
        if addresses.count > 1 {
            let race = ConnectionRace(destination: "\(host.hostField):\(port)", abandonment: abandonment)
            let winner = try race.run(addresses, delay: attemptDelay)
            address = SocketAddress(peerOf: winner.descriptor) ?? address
        }
        guard let text = address?.numericText else {
            throw SocketError(.connectFailed, "Could not connect to \(host.hostField):\(port).")
        }
        return .address(text.host, port: port)
    }

    /// Connects to the first hop to find out why another attempt has failed. Throws the reason if this fails, too.
    package func explain(_ route: DialRoute, until deadline: ContinuousClock.Instant?) async throws {
        try await DialWork.run(until: deadline) { abandonment in
            switch route {
            case .proxy(let proxy, _, _):
                let destination = "the proxy \(proxy.host.hostField):\(proxy.port)"
                _ = try race(proxy.host, proxy.port, destination: destination, abandonment)
            case .direct, .unixSocket:
                _ = try connect(route, abandonment)
            }
        }
    }

    /// Connects, and blocks until the socket is connected or the attempt is cancelled.
    func connect(_ route: DialRoute, _ abandonment: AbandonmentSignal) throws -> ConnectedSocket {
        switch route {
        case .unixSocket(let path):
            let name = String.printable(path)
            guard let address = SocketAddress(unixSocketPath: path) else {
                throw SocketError(
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
package final class ConnectedSocket: Sendable {
    private let storage: Atomic<Int32>
    /// The name of the other end in messages.
    let peer: String

    init(descriptor: Int32, peer: String) {
        storage = Atomic(descriptor)
        self.peer = peer
    }

    deinit {
        let descriptor = take()
        if descriptor >= 0 { Self.close(descriptor) }
    }

    package static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    /// The descriptor, or -1 if it was taken.
    var descriptor: Int32 { storage.load(ordering: .relaxed) }

    /// Takes the descriptor, which the caller must close. Returns -1 if it was already taken.
    package func take() -> Int32 { storage.exchange(-1, ordering: .acquiringAndReleasing) }
}

/// A race of connection attempts to the addresses of one host (RFC 8305 §5). Attempts start one after another with a
/// delay, and the first established connection wins.
struct ConnectionRace {
    /// The name of the other end in error messages, after "Could not connect to".
    let destination: String
    let abandonment: AbandonmentSignal

    /// The maximum number of addresses that are tried. A DNS answer may contain thousands.
    static let maximumAttempts = 32
    /// The maximum number of addresses that the error message names.
    private static let maximumNamedFailures = 8

    /// Blocks until one attempt has succeeded or all have failed. Only the first 32 addresses are tried. Throws
    /// ``SocketError`` with the code `connectFailed`, whose message lists the addresses and their errors, or
    /// `CancellationError` if the attempt was cancelled.
    func run(_ addresses: [SocketAddress], delay: Duration) throws -> ConnectedSocket {
        var runners: [(descriptor: Int32, address: SocketAddress)] = []
        var failures: [(address: SocketAddress, code: Int32)] = []
        var waiting = addresses.prefix(Self.maximumAttempts)
        var nextStart = ContinuousClock.now
        // The winner is removed from the list before this runs.
        defer { for runner in runners { close(runner.descriptor) } }

        while !runners.isEmpty || !waiting.isEmpty {
            if let address = waiting.first, runners.isEmpty || ContinuousClock.now >= nextStart {
                waiting.removeFirst()
                nextStart = .now + delay
                let (descriptor, code) = start(address)
                switch code {
                case 0: return ConnectedSocket(descriptor: descriptor, peer: "\(address)")
                case EINPROGRESS: runners.append((descriptor, address))
                default: failures.append((address, code))
                }
                continue
            }
            for index in try finished(runners.map(\.descriptor), until: waiting.isEmpty ? nil : nextStart).reversed() {
                let runner = runners.remove(at: index)
                let code = Self.outcome(of: runner.descriptor)
                if code == 0 { return ConnectedSocket(descriptor: runner.descriptor, peer: "\(runner.address)") }
                close(runner.descriptor)
                failures.append((runner.address, code))
                nextStart = .now
            }
        }
        throw unreachable(failures, of: addresses.count)
    }

    private func unreachable(_ failures: [(address: SocketAddress, code: Int32)], of count: Int) -> SocketError {
        var reasons = failures.prefix(Self.maximumNamedFailures).map { failure in
            // If the URL has a numeric address or a socket path, the destination already contains the address.
            let address = "\(failure.address)"
            return destination.contains(address)
                ? errorText(failure.code) : "\(address): \(errorText(failure.code))"
        }
        let unnamed = failures.count - reasons.count
        if unnamed > 0 { reasons.append("\(unnamed) more addresses failed") }
        let untried = count - failures.count
        if untried > 0 { reasons.append("\(untried) addresses were not tried") }
        return SocketError(
            .connectFailed, "Could not connect to \(destination): \(reasons.joined(separator: "; ")).",
            systemError: failures.first?.code,
            isRetryable: failures.contains { SocketError.isPassing($0.code) })
    }

    /// Starts an attempt. Returns the socket, and 0 if it is connected or `EINPROGRESS` if it is connecting. On
    /// failure, the socket is closed, and the code is its `errno`.
    private func start(_ address: SocketAddress) -> (descriptor: Int32, code: Int32) {
        let descriptor = address.makeSocket()
        guard descriptor >= 0 else { return (-1, errno) }
        // If the backlog is full, a nonblocking Unix domain socket returns EAGAIN and does not connect.
        var code = address.connect(descriptor)
        if code == 0 { code = Self.outcome(of: descriptor) }
        if code != 0, code != EINPROGRESS { close(descriptor) }
        return (descriptor, code)
    }

    /// Waits until an attempt has succeeded or failed, or until the next attempt is due. Returns the indices of the
    /// attempts that have ended. It is empty if the next attempt is due.
    private func finished(_ runners: [Int32], until nextStart: ContinuousClock.Instant?) throws -> [Int] {
        var polls = runners.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        polls.append(pollfd(fd: abandonment.readDescriptor, events: Int16(POLLIN), revents: 0))
        let timeout = nextStart.map { ContinuousClock.now.duration(to: $0).pollMilliseconds } ?? -1
        // EINTR cannot occur, because the thread receives no signals. Without memory or descriptors, the next round
        // would fail, too.
        guard unsafe poll(&polls, nfds_t(polls.count), timeout) >= 0 else {
            throw SocketError(
                .connectFailed, "Could not connect to \(destination): \(errorText(errno)).", systemError: errno,
                isRetryable: true)
        }
        if polls[runners.count].revents != 0 { throw CancellationError() }
        return runners.indices.filter { polls[$0].revents != 0 }
    }

    /// Returns the result of an attempt that has ended: an `errno`, or 0 if the connection is established. A socket
    /// that is connected to itself counts as refused. If no server listens at a port of this machine, the system may
    /// choose that port for the client, so that the socket connects to itself (RFC 9293 §3.5, simultaneous open).
    static func outcome(of descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        guard code == 0 else { return code }
        let own = SocketAddress(ownOf: descriptor)
        return own != nil && own == SocketAddress(peerOf: descriptor) ? ECONNREFUSED : 0
    }
}
