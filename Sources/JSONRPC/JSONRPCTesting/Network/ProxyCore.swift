// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// The conditions that a test has set.
struct ProxySettings: Sendable {
    var upstreamPort: Int
    var toUpstream = TCPFaultProxy.Conditions()
    var toClient = TCPFaultProxy.Conditions()
    var acceptance = TCPFaultProxy.Acceptance.forward

    /// The conditions of bytes to the server and to the client.
    var conditions: [TCPFaultProxy.Conditions] { [toUpstream, toClient] }
}

/// The sockets and counts of a proxy. Its owner uses it under a lock, so that a change of the settings applies to all
/// bytes that are sent after it. Unchecked: the door and the links are used under that lock only, because no copy of the
/// core leaves it.
struct ProxyCore: @unchecked Sendable {
    private static let maximumLinks = 1024
    private static let maximumDialTimes = 10_000

    var settings: ProxySettings {
        didSet { door.setListening(!hasEnded && settings.acceptance != .refuse) }
    }
    private(set) var statistics = TCPFaultProxy.Statistics()
    private(set) var hasEnded = false
    private let door: ProxyDoor
    /// Only the thread adds and removes links; a test ends them.
    private var links: [ProxyLink] = []
    private var isExhausted = false

    init(_ settings: ProxySettings, door: ProxyDoor) {
        self.settings = settings
        self.door = door
    }

    // MARK: The loop

    /// Returns the sockets to poll and the time limit in milliseconds, -1 for none. It is `nil` after the end.
    mutating func pollSet(alarm: Int32) -> (polled: [pollfd], timeout: Int32)? {
        guard !hasEnded else { return nil }
        links.removeAll { $0.hasEnded }
        let accepts = !isExhausted && links.count < Self.maximumLinks
        var polled = [
            pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
            pollfd(fd: accepts ? door.listener?.descriptor ?? -1 : -1, events: Int16(POLLIN), revents: 0),
        ]
        for link in links {
            let (client, upstream) = link.events(settings)
            // A socket that has hung up would wake the thread again and again, so it is left out if nothing is wanted.
            polled.append(pollfd(fd: client != 0 ? link.client.descriptor : -1, events: client, revents: 0))
            let descriptor = upstream != 0 ? link.upstream?.descriptor ?? -1 : -1
            polled.append(pollfd(fd: descriptor, events: upstream, revents: 0))
        }
        guard let next = links.compactMap({ $0.nextTime(settings) }).min() else {
            return (polled, isExhausted ? 10 : -1)
        }
        let milliseconds = ContinuousClock.now.duration(to: next) / .milliseconds(1)
        return (polled, Int32(min(max(milliseconds.rounded(.up), 0), 1000)))
    }

    /// Does all work that is possible now.
    ///
    /// - Parameter polled: The sockets of ``pollSet(alarm:)``, with their events.
    mutating func turn(_ polled: [pollfd]) {
        guard !hasEnded else { return }
        let now = ContinuousClock.now
        for (index, link) in links.enumerated() where !link.hasEnded {
            turn(link, client: polled[2 + 2 * index].revents, upstream: polled[3 + 2 * index].revents, now)
        }
        links.removeAll { $0.hasEnded }
        isExhausted = false
        if polled[1].revents != 0 { accept(now) }
        statistics.open = links.count
    }

    private mutating func turn(
        _ link: ProxyLink, client: Int16, upstream: Int16, _ now: ContinuousClock.Instant
    ) {
        switch link.turn(client: client, upstream: upstream, settings, now: now) {
        case .stays: break
        case .ended: link.end(.reset)
        case .refused:
            statistics.refusedByUpstream += 1
            link.end(.reset)
        }
        link.addCounts(to: &statistics)
    }

    private mutating func accept(_ now: ContinuousClock.Instant) {
        while links.count < Self.maximumLinks, let client = door.accept(&isExhausted) {
            statistics.accepted += 1
            statistics.dialTimes.append(now)
            switch settings.acceptance {
            case .reset, .refuse: client.reset()
            case .hold: links.append(ProxyLink(client: client, upstream: nil))
            case .forward:
                if let upstream = ProxySocket.connecting(to: settings.upstreamPort) {
                    links.append(ProxyLink(client: client, upstream: upstream))
                } else {
                    statistics.refusedByUpstream += 1
                    client.reset()
                }
            }
        }
        let excess = statistics.dialTimes.count - Self.maximumDialTimes
        if excess > 0 { statistics.dialTimes.removeFirst(excess) }
    }

    // MARK: The test

    mutating func endConnections(by ending: TCPFaultProxy.Ending) {
        for link in links { link.end(ending) }
        statistics.open = 0
    }

    /// Closes all sockets.
    mutating func end() {
        hasEnded = true
        endConnections(by: .reset)
        door.close()
    }
}
