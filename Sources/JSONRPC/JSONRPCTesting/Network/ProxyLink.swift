// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// One connection of a proxy: the sockets of both sides, and a pipe in each direction.
final class ProxyLink {
    enum Verdict {
        case stays
        case ended
        case refused
    }

    let client: ProxySocket
    /// `nil` for a connection that is held and not forwarded.
    let upstream: ProxySocket?
    private var isConnecting = true
    private(set) var hasEnded = false
    /// The directions to the server and to the client; empty for a connection that is held.
    private var pipes: [ProxyPipe]

    init(client: ProxySocket, upstream: ProxySocket?) {
        self.client = client
        self.upstream = upstream
        pipes = upstream.map { [ProxyPipe(from: client, to: $0), ProxyPipe(from: $0, to: client)] } ?? []
    }

    func events(_ settings: ProxySettings) -> (client: Int16, upstream: Int16) {
        guard upstream != nil else { return (Int16(POLLIN), 0) }
        guard !isConnecting else { return (0, Int16(POLLOUT)) }
        let (up, down) = (pipes[0].events(settings.toUpstream), pipes[1].events(settings.toClient))
        return (up.source | down.target, down.source | up.target)
    }

    /// The time at which the link has something to write.
    func nextTime(_ settings: ProxySettings) -> ContinuousClock.Instant? {
        isConnecting ? nil : zip(pipes, settings.conditions).compactMap { $0.nextTime($1) }.min()
    }

    /// Reads and writes all that is possible now, after these events of the sockets.
    func turn(
        client clientEvents: Int16, upstream upstreamEvents: Int16, _ settings: ProxySettings,
        now: ContinuousClock.Instant
    ) -> Verdict {
        guard let upstream else { return turnHeld(clientEvents) }
        if isConnecting {
            guard upstreamEvents != 0 else { return .stays }
            guard upstream.connectError == 0 else { return .refused }
            isConnecting = false
        }
        let (events, conditions) = ([clientEvents, upstreamEvents], settings.conditions)
        for (pipe, conditions) in zip(pipes, conditions) where conditions.flow == .forward && pipe.isBroken {
            return .ended
        }
        let isReadable = Int16(POLLIN) | Int16(POLLERR) | Int16(POLLHUP)
        var progress: [ProxyPipe.Progress] = []
        for index in pipes.indices where events[index] & isReadable != 0 {
            progress.append(pipes[index].read(conditions[index], now: now))
        }
        guard client.isOpen || upstream.isOpen else { return .ended }
        for index in pipes.indices { progress.append(pipes[index].write(conditions[index], now: now)) }
        for case .ended(let ending) in progress {
            end(ending)
            return .ended
        }
        guard progress.filter({ $0 == .done }).count == pipes.count else { return .stays }
        end(.finish)
        return .ended
    }

    /// Reads and discards the bytes of a connection that is held.
    private func turnHeld(_ events: Int16) -> Verdict {
        guard events != 0 else { return .stays }
        switch client.read(atMost: ProxyPipe.chunkBytes) {
        case .bytes, .later: return .stays
        case .end, .failed: return .ended
        }
    }

    func end(_ ending: TCPFaultProxy.Ending) {
        hasEnded = true
        for side in [client, upstream].compactMap({ $0 }) {
            switch ending {
            case .reset: side.reset()
            case .finish: side.close()
            }
        }
    }

    /// Adds the counts since the last call.
    func addCounts(to statistics: inout TCPFaultProxy.Statistics) {
        for (index, total) in zip(pipes.indices, [\TCPFaultProxy.Statistics.bytesToUpstream, \.bytesToClient]) {
            let counts = pipes[index].takeCounts()
            statistics[keyPath: total] += counts.passed
            statistics.discardedBytes += counts.discarded
        }
    }
}
