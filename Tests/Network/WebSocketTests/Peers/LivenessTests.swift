// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// Our PINGs, and the end of a peer without a sign of life (RFC 6455 §5.5.2).
@Suite(.serialized, .inTurn(within: .seconds(60)))
struct LivenessTests {
    private func configuration(interval: Duration, timeout: Duration) -> WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.pingInterval = interval
        configuration.pingTimeout = timeout
        return configuration
    }

    @Test func roundTripsAreMeasured() async throws {
        let peer = try RawPeer { socket -> [RawFrame] in
            try socket.acceptUpgrade()
            var pings: [RawFrame] = []
            while let frame = try socket.readFrame(), frame.opcode != RawFrame.Opcode.close {
                guard frame.opcode == RawFrame.Opcode.ping else { continue }
                pings.append(frame)
                try socket.send(RawFrame(RawFrame.Opcode.pong, frame.payload))
            }
            return pings
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let connection = try await connect(
            to: peer.url, configuration: configuration(interval: .milliseconds(20), timeout: .seconds(20)),
            handler: handler, on: loops)
        _ = try await handler.waitForRoundTrips(3)
        connection.close()
        let pings = try await peer.outcome()
        #expect(pings.allSatisfy { $0.payload.count == 8 && $0.maskingKey != nil })
        #expect(pings.count >= 3)
        #expect(Set(pings.map(\.payload)).count == pings.count)
        await loops.shutDown()
    }

    @Test func aSilentPeerIsFound() async throws {
        let gate = Gate()
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            try gate.wait()
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        try await connect(
            to: peer.url, configuration: configuration(interval: .milliseconds(100), timeout: .milliseconds(100)),
            handler: handler, on: loops)
        let closure = try #require(await handler.closure())
        #expect(closure.initiator == .failure)
        #expect(closure.closeCode == .abnormalClosure)
        #expect(closure.webSocketError?.code == .peerUnresponsive)
        gate.open()
        try await peer.outcome()
        await loops.shutDown()
    }

    @Test func aPeerThatTalksAndNeverPongsLives() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            // Each PING is answered with a message. 30 of them take longer than interval and timeout.
            var pings = 0
            while let frame = try socket.readFrame(), frame.opcode != RawFrame.Opcode.close {
                guard frame.opcode == RawFrame.Opcode.ping else { continue }
                pings += 1
                try socket.send(RawFrame(RawFrame.Opcode.text, Array("\(pings)".utf8)))
            }
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let connection = try await connect(
            to: peer.url, configuration: configuration(interval: .milliseconds(100), timeout: .seconds(2)),
            handler: handler, on: loops)
        #expect(await handler.events.first { $0.text == "30" || $0.closure != nil }?.text == "30")
        connection.close()
        try await peer.outcome()
        await loops.shutDown()
    }

    /// The handler gets a frame only when it is complete, but its bytes prove that the peer is alive.
    @Test func bytesOfAnUnfinishedFrameAreLife() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            let frame = RawFrame(RawFrame.Opcode.text, .init(repeating: 65, count: 28)).bytes
            // One byte for each PING. When the frame is complete, a PONG that answers no PING.
            var pings = 0
            while let received = try socket.readFrame(), received.opcode != RawFrame.Opcode.close {
                guard received.opcode == RawFrame.Opcode.ping else { continue }
                try socket.send(pings < frame.count ? [frame[pings]] : RawFrame(RawFrame.Opcode.pong).bytes)
                pings += 1
            }
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let connection = try await connect(
            to: peer.url, configuration: configuration(interval: .milliseconds(100), timeout: .seconds(2)),
            handler: handler, on: loops)
        #expect(
            await handler.events.first { $0.text != nil || $0.closure != nil }?.text
                == String(repeating: "A", count: 28))
        connection.close()
        try await peer.outcome()
        await loops.shutDown()
    }

    @Test func pingsGoOutUnderLoad() async throws {
        let peer = try RawPeer { socket -> Int in
            try socket.acceptUpgrade()
            var messages = 0
            var pings = 0
            while pings < 3, let frame = try socket.readFrame() {
                if frame.opcode == RawFrame.Opcode.ping { pings += 1 } else { messages += 1 }
            }
            return pings == 3 ? messages : -1
        }
        let loops = WebSocketEventLoops()
        let text = String(repeating: "load ", count: 1000)
        // The outbox is refilled whenever it runs low, so it is never empty.
        let handler = RecordingHandler(
            onOpen: { connection in for _ in 0..<500 { try? connection.send(text: text) } },
            onDrained: { connection in for _ in 0..<500 { try? connection.send(text: text) } })
        try await connect(
            to: peer.url, configuration: configuration(interval: .milliseconds(50), timeout: .seconds(20)),
            handler: handler, on: loops)
        #expect(try await peer.outcome() > 0)
        await loops.shutDown(within: .zero)
    }
}

extension RecordingHandler {
    /// Waits until a number of round trips were measured.
    func waitForRoundTrips(_ count: Int) async throws {
        var seen = 0
        while seen < count {
            let events = await self.events.wait(count: events.elements.count)
            seen = events.filter(\.isRoundTrip).count
            if seen < count { _ = await self.events.wait(count: events.count + 1) }
        }
    }
}
