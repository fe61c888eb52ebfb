// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// A race of connection attempts to the addresses of one host (RFC 8305 §5). Attempts start one after the other, with a
/// delay, and the first connection that is established wins.
struct ConnectionRace {
    /// The name of the other end in error messages: it completes "Could not connect to …".
    let destination: String
    let abandonment: AbandonmentSignal

    /// The maximum number of addresses that are tried. A DNS answer may contain thousands.
    static let maximumAttempts = 32
    /// The maximum number of addresses that the error message names.
    private static let maximumNamedFailures = 8

    /// Blocks until one attempt has succeeded or all have failed. Only the first 32 addresses are tried.
    ///
    /// - Throws: ``WebSocketError`` with the code `connectFailed`, whose message names the addresses and their errors;
    ///   `CancellationError` if the attempt was cancelled.
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
                switch start(address) {
                case .connected(let descriptor):
                    return ConnectedSocket(descriptor: descriptor, peer: "\(address)")
                case .started(let descriptor): runners.append((descriptor, address))
                case .failed(let code): failures.append((address, code))
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

    private func unreachable(_ failures: [(address: SocketAddress, code: Int32)], of count: Int) -> WebSocketError {
        var reasons = failures.prefix(Self.maximumNamedFailures).map { failure in
            // The destination names the address already, if the URL has a numeric address or the path of a socket.
            let address = "\(failure.address)"
            return destination.contains(address)
                ? errorText(failure.code) : "\(address): \(errorText(failure.code))"
        }
        let unnamed = failures.count - reasons.count
        if unnamed > 0 { reasons.append("\(unnamed) more addresses failed") }
        let untried = count - failures.count
        if untried > 0 { reasons.append("\(untried) addresses were not tried") }
        return WebSocketError(
            .connectFailed, "Could not connect to \(destination): \(reasons.joined(separator: "; ")).",
            systemError: failures.first?.code,
            isRetryable: failures.contains { WebSocketError.isPassing($0.code) })
    }

    private enum Start {
        case connected(Int32)
        case started(Int32)
        case failed(Int32)
    }

    private func start(_ address: SocketAddress) -> Start {
        let descriptor = address.makeSocket()
        guard descriptor >= 0 else { return .failed(errno) }
        let code = address.connect(descriptor)
        // If the backlog is full, a nonblocking Unix domain socket returns EAGAIN and does not connect.
        if code == EINPROGRESS { return .started(descriptor) }
        let outcome = code == 0 ? Self.outcome(of: descriptor) : code
        if outcome == 0 { return .connected(descriptor) }
        close(descriptor)
        return .failed(outcome)
    }

    /// Waits until an attempt has succeeded or failed, or until it is time for the next attempt.
    ///
    /// - Returns: The places of the attempts that have ended. It is empty if it is time for the next attempt.
    private func finished(_ runners: [Int32], until nextStart: ContinuousClock.Instant?) throws -> [Int] {
        var polls = runners.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        polls.append(pollfd(fd: abandonment.readDescriptor, events: Int16(POLLIN), revents: 0))
        let timeout = nextStart.map { Self.milliseconds(ContinuousClock.now.duration(to: $0)) } ?? -1
        // EINTR cannot occur, because the thread receives no signals. Any other error occurs again in the next round.
        _ = unsafe poll(&polls, nfds_t(polls.count), timeout)
        if polls[runners.count].revents != 0 { throw CancellationError() }
        return runners.indices.filter { polls[$0].revents != 0 }
    }

    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        // The time is rounded up, so that it has passed when `poll` returns.
        return Int32(clamping: max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }

    /// Returns the result of an attempt that has ended: an `errno`, or 0 if the connection is established.
    ///
    /// A connection of a socket to itself counts as refused. If no server listens at a port of this machine, the system
    /// may choose that port for the client's end, and the socket connects to itself (RFC 9293 §3.5, simultaneous open).
    static func outcome(of descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        guard code == 0 else { return code }
        let own = SocketAddress(ownOf: descriptor)
        return own != nil && own == SocketAddress(peerOf: descriptor) ? ECONNREFUSED : 0
    }
}
