// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCTesting

/// The thread of an idle proxy connection sleeps: no polled socket is ready, and no timer has expired.
@Suite(.inTurn(within: .seconds(60))) struct ProxyRestTests {
    @Test func aBlockedDirectionThatIsStalledRests() throws {
        let sides = try Sides()
        var settings = ProxySettings(upstreamPort: 0)
        for _ in 0..<4 {
            sides.client.write(400_000)
            #expect(sides.turnsToRest(settings) != nil)
        }
        settings.toUpstream.flow = .stall
        // The server makes room, and the stalled direction must not use it.
        #expect(sides.server.readAll() > 0)
        #expect(sides.turnsToRest(settings) != nil)
        #expect(sides.server.readAll() == 0)
        settings.toUpstream.flow = .forward
        #expect(sides.turnsToRest(settings) != nil)
        #expect(sides.server.readAll() > 0)
    }

    @Test func bytesForASideThatIsGoneAreLostWhileItsEndIsDiscarded() throws {
        let sides = try Sides()
        var settings = ProxySettings(upstreamPort: 0)
        settings.toClient.flow = .discard
        sides.client.write(10)
        #expect(sides.turnsToRest(settings) != nil)
        // It has unread bytes, so its end is a reset.
        sides.server.close()
        #expect(sides.turnsToRest(settings) != nil)
        for _ in 0..<3 {
            sides.client.write(300_000)
            #expect(sides.turnsToRest(settings) != nil)
        }
        #expect(!sides.link.hasEnded && sides.client.isOpenFar)
        var statistics = TCPFaultProxy.Statistics()
        sides.link.addCounts(to: &statistics)
        #expect(statistics.bytesToUpstream == 10 && statistics.discardedBytes > 0)
        settings.toClient.flow = .forward
        #expect(sides.link.turn(client: 0, upstream: 0, settings, now: .now) == .ended)
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func everyConnectionComesToRest(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let sides = try Sides()
        var settings = ProxySettings(upstreamPort: 0)
        var steps: [String] = []
        for _ in 0..<30 where !sides.link.hasEnded {
            let side = Bool.random(using: &random) ? sides.client : sides.server
            switch Int.random(in: 0..<8, using: &random) {
            case 0: side.write(Int.random(in: 1...400_000, using: &random))
            case 1: side.write(Int.random(in: 1...100, using: &random))
            case 2: _ = side.readAll()
            case 3: side.finishWriting()
            case 4 where Int.random(in: 0..<4, using: &random) == 0: side.close()
            case 5: settings.toUpstream = Self.conditions(&random)
            default: settings.toClient = Self.conditions(&random)
            }
            steps.append("\(settings.toUpstream.flow) \(settings.toClient.flow)")
            try #require(sides.turnsToRest(settings) != nil, "\(steps)")
        }
    }

    private static func conditions(_ random: inout SeededGenerator) -> TCPFaultProxy.Conditions {
        var conditions = TCPFaultProxy.Conditions()
        conditions.flow = [.forward, .forward, .stall, .discard].randomElement(using: &random) ?? .forward
        conditions.latency = Bool.random(using: &random) ? .zero : .seconds(10)
        conditions.bytesPerSecond = [nil, nil, 1, 100_000].randomElement(using: &random) ?? nil
        conditions.cutAfterBytes = [nil, nil, nil, 100_000].randomElement(using: &random) ?? nil
        return conditions
    }
}

/// A connection of a proxy without its thread, between two sockets of the test.
private struct Sides {
    let client: Side
    let server: Side
    let link: ProxyLink

    init() throws {
        client = try Side()
        server = try Side()
        link = ProxyLink(client: client.near, upstream: server.near)
    }

    /// Turns the connection as a proxy's thread does. Returns the number of turns until it would sleep, or `nil`.
    func turnsToRest(_ settings: ProxySettings) -> Int? {
        for count in 0..<20_000 {
            guard !link.hasEnded else { return count }
            let (client, upstream) = link.events(settings)
            var polled = [
                pollfd(fd: client != 0 ? link.client.descriptor : -1, events: client, revents: 0),
                pollfd(fd: upstream != 0 ? link.upstream?.descriptor ?? -1 : -1, events: upstream, revents: 0),
            ]
            let isReady = poll(&polled, 2, 0) > 0
            let isDue = link.nextTime(settings).map { $0 <= .now } ?? false
            guard isReady || isDue else { return count }
            switch link.turn(client: polled[0].revents, upstream: polled[1].revents, settings, now: .now) {
            case .stays: break
            case .ended, .refused: link.end(.reset)
            }
        }
        return nil
    }
}

/// A socket of the proxy and its other end, which the test has.
private final class Side {
    let near: ProxySocket
    private let far: ProxySocket

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, ProxySocket.kind, 0, &ends) == 0)
        (near, far) = (ProxySocket(descriptor: ends[0]), ProxySocket(descriptor: ends[1]))
    }

    var isOpenFar: Bool { far.isOpen }

    /// Writes as many bytes as the socket accepts, up to a number.
    func write(_ count: Int) {
        var rest = [UInt8](repeating: 7, count: count)[...]
        while far.isOpen, !rest.isEmpty, let written = far.write(rest), written > 0 { rest = rest.dropFirst(written) }
    }

    /// Reads the available bytes, and returns their number.
    func readAll() -> Int {
        var count = 0
        while far.isOpen, case .bytes(let bytes) = far.read(atMost: 65_536) { count += bytes.count }
        return count
    }

    func finishWriting() { if far.isOpen { far.finishWriting() } }

    func close() { far.close() }
}
