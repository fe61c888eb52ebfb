// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// One connection of a proxy: the sockets of both sides, and a pipe in each direction.
final class ProxyLink {
    let client: ProxySocket
    /// `nil` for a connection that is held and not forwarded.
    let upstream: ProxySocket?
    private var isConnecting = true
    private(set) var hasEnded = false
    private var up = ProxyPipe()
    private var down = ProxyPipe()

    init(client: ProxySocket, upstream: ProxySocket?) {
        self.client = client
        self.upstream = upstream
    }

    enum Verdict {
        case stays
        case ended
        case refused
    }

    /// The events for which the sockets are polled.
    func events(_ settings: ProxySettings) -> (client: Int16, upstream: Int16) {
        guard upstream != nil else { return (Int16(POLLIN), 0) }
        guard !isConnecting else { return (0, Int16(POLLOUT)) }
        var (client, upstream): (Int16, Int16) = (0, 0)
        if up.wantsToRead(settings.toUpstream) { client |= Int16(POLLIN) }
        if down.wantsToRead(settings.toClient) { upstream |= Int16(POLLIN) }
        if up.wantsToWrite(settings.toUpstream) { upstream |= Int16(POLLOUT) }
        if down.wantsToWrite(settings.toClient) { client |= Int16(POLLOUT) }
        return (client, upstream)
    }

    /// The time at which the link has something to write.
    func nextTime(_ settings: ProxySettings) -> ContinuousClock.Instant? {
        guard !isConnecting, upstream != nil else { return nil }
        let times = [up.nextTime(settings.toUpstream), down.nextTime(settings.toClient)].compactMap { $0 }
        return times.min()
    }

    /// Reads and writes all that is possible now.
    ///
    /// - Parameters:
    ///   - client: The events of the client's socket.
    ///   - upstream: The events of the server's socket.
    ///   - settings: The conditions.
    ///   - now: The time.
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
        if settings.toUpstream.flow == .forward, up.isBroken || !client.isOpen { return .ended }
        if settings.toClient.flow == .forward, down.isBroken || !upstream.isOpen { return .ended }
        let isReadable = Int16(POLLIN) | Int16(POLLERR) | Int16(POLLHUP)
        var progress: [ProxyPipe.Progress] = []
        if client.isOpen, clientEvents & isReadable != 0, up.wantsToRead(settings.toUpstream) {
            progress.append(Self.read(&up, client, settings.toUpstream, now))
        }
        if upstream.isOpen, upstreamEvents & isReadable != 0, down.wantsToRead(settings.toClient) {
            progress.append(Self.read(&down, upstream, settings.toClient, now))
        }
        guard client.isOpen || upstream.isOpen else { return .ended }
        progress.append(Self.write(&up, upstream, settings.toUpstream, now))
        progress.append(Self.write(&down, client, settings.toClient, now))
        return verdict(progress)
    }

    private static func write(
        _ pipe: inout ProxyPipe, _ target: ProxySocket, _ conditions: TCPFaultProxy.Conditions,
        _ now: ContinuousClock.Instant
    ) -> ProxyPipe.Progress {
        if target.isOpen { return pipe.write(to: target, conditions, now: now) }
        // The other direction discards, so the sender must not learn that the receiver is gone.
        pipe.loseAll()
        return .open
    }

    private static func read(
        _ pipe: inout ProxyPipe, _ source: ProxySocket, _ conditions: TCPFaultProxy.Conditions,
        _ now: ContinuousClock.Instant
    ) -> ProxyPipe.Progress {
        let progress = pipe.read(from: source, conditions, now: now)
        guard case .failed = progress, conditions.flow == .discard else { return progress }
        // This side is gone, and the other side must not learn it.
        source.close()
        return .open
    }

    private func verdict(_ progress: [ProxyPipe.Progress]) -> Verdict {
        var doneCount = 0
        for one in progress {
            switch one {
            case .open: break
            case .done: doneCount += 1
            case .failed:
                end(.reset)
                return .ended
            case .cut(let ending):
                end(ending)
                return .ended
            }
        }
        guard doneCount == 2 else { return .stays }
        end(.finish)
        return .ended
    }

    /// Reads and forgets the bytes of a connection that is held.
    private func turnHeld(_ events: Int16) -> Verdict {
        guard events != 0 else { return .stays }
        switch client.read(atMost: 32 * 1024) {
        case .bytes, .later: return .stays
        case .end, .failed: return .ended
        }
    }

    /// Ends both sides.
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
        let (up, down) = (up.takeCounts(), down.takeCounts())
        statistics.bytesToUpstream += up.passed
        statistics.bytesToClient += down.passed
        statistics.discardedBytes += up.discarded + down.discarded
    }
}
