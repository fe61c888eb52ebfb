// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// The bytes that the connection writes, as a peer sees them.
@Suite(.serialized, .inTurn(within: .seconds(60)))
struct WritingTests {
    /// The peer's view of a long message with a PING of its own in the middle.
    struct Sighting {
        var pongIndex: Int?
        var pongPayload: [UInt8]
        var frames: [RawFrame]
    }

    @Test func pongGoesOutBetweenTheFragmentsOfALongMessage() async throws {
        let size = 16 << 20
        let peer = try RawPeer(receiveBufferBytes: 65_536) { socket -> Sighting in
            try socket.acceptUpgrade()
            var frames: [RawFrame] = []
            var sighting = Sighting(pongIndex: nil, pongPayload: [], frames: [])
            while let frame = try socket.readFrame() {
                if frame.opcode == RawFrame.Opcode.pong {
                    sighting.pongIndex = frames.count
                    sighting.pongPayload = frame.payload
                    continue
                }
                frames.append(frame)
                if frames.count == 2 { try socket.send(RawFrame(RawFrame.Opcode.ping, Array("are you there".utf8))) }
                if frame.isFinal { break }
            }
            sighting.frames = frames
            return sighting
        }
        // The length of the pattern is coprime to the length of a fragment.
        let pattern = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) }
        let message = concatenated(Array(repeating: pattern, count: size / pattern.count))
        let handler = RecordingHandler(onOpen: { try? $0.send(binary: message) })
        let loops = WebSocketEventLoops()
        try await connect(to: peer.url, handler: handler, on: loops)
        let sighting = try await peer.outcome()
        let pongIndex = try #require(sighting.pongIndex)
        #expect(pongIndex < sighting.frames.count)
        #expect(sighting.pongPayload == Array("are you there".utf8))
        #expect(sighting.frames.first?.opcode == RawFrame.Opcode.binary)
        #expect(sighting.frames.dropFirst().allSatisfy { $0.opcode == RawFrame.Opcode.continuation })
        #expect(sighting.frames.filter(\.isFinal).count == 1)
        #expect(sighting.frames.allSatisfy { $0.payload.count <= 65_536 && $0.reserved == 0 })
        #expect(concatenated(sighting.frames.map(\.payload)) == message)
        await loops.shutDown(within: .zero)
    }

    @Test func aSlowReaderGetsEverythingInOrder() async throws {
        let gate = Gate()
        let peer = try RawPeer(receiveBufferBytes: 4096) { socket -> [String] in
            try socket.acceptUpgrade()
            try gate.wait()
            var texts: [String] = []
            while texts.count < 2000, let frame = try socket.readFrame() { texts.append(frame.text) }
            return texts
        }
        var configuration = WebSocketConfiguration()
        configuration.lowWaterBytes = 4096
        let handler = RecordingHandler()
        let loops = WebSocketEventLoops()
        let connection = try await connect(
            to: peer.url, configuration: configuration, handler: handler, on: loops)
        let filler = String(repeating: "x", count: 8000)
        for number in 0..<2000 { try connection.send(text: "\(number) \(filler)") }
        // 16 MB do not fit into the kernel's buffers: the rest waits here.
        #expect(connection.queuedByteCount > 0)
        gate.open()
        let texts = try await peer.outcome()
        #expect(texts == (0..<2000).map { "\($0) \(filler)" })
        #expect(await handler.events.first { $0.isDrained } != nil)
        await loops.shutDown(within: .zero)
    }

    @Test func framesAreMaskedWithFreshKeys() async throws {
        let peer = try RawPeer { socket -> [RawFrame] in
            try socket.acceptUpgrade()
            var frames: [RawFrame] = []
            while frames.count < 3000, let frame = try socket.readFrame() { frames.append(frame) }
            return frames
        }
        let loops = WebSocketEventLoops()
        let connection = try await connect(
            to: peer.url, handler: RecordingHandler(), on: loops)
        for _ in 0..<3000 { try connection.send(text: "same text") }
        let frames = try await peer.outcome()
        #expect(frames.allSatisfy { $0.text == "same text" })
        let keys = frames.compactMap(\.maskingKey)
        #expect(keys.count == 3000)
        // Two of 3000 random keys of 32 bits are equal with a probability of 0.1 %; ten are never equal.
        #expect(Set(keys).count > 2990)
        await loops.shutDown(within: .zero)
    }

    @Test func anEmptyMessageIsAFrameWithoutPayload() async throws {
        let peer = try RawPeer { socket -> RawFrame? in
            try socket.acceptUpgrade()
            return try socket.readFrame()
        }
        let loops = WebSocketEventLoops()
        let connection = try await connect(
            to: peer.url, handler: RecordingHandler(), on: loops)
        try connection.send(text: "")
        let frame = try #require(try await peer.outcome())
        #expect(frame.opcode == RawFrame.Opcode.text && frame.isFinal && frame.payload.isEmpty)
        await loops.shutDown(within: .zero)
    }

    @Test func aResetTellsWhichMessagesWereNeverHandedOver() async throws {
        let gate = Gate()
        let peer = try RawPeer(receiveBufferBytes: 4096) { socket in
            try socket.acceptUpgrade()
            try gate.wait()
            socket.reset()
        }
        let handler = RecordingHandler()
        let loops = WebSocketEventLoops()
        let connection = try await connect(to: peer.url, handler: handler, on: loops)
        let bytes = [UInt8](repeating: 7, count: 60_000)
        var positions: [OutboxTicket] = []
        for _ in 0..<400 {
            guard case .queued(let position, let mustWake) = connection.enqueueForTest(bytes) else {
                Issue.record("refused")
                break
            }
            positions.append(position)
            if mustWake { connection.wake() }
        }
        gate.open()
        let closure = try #require(await handler.closure())
        #expect(closure.initiator == .failure)
        #expect(closure.closeCode == .abnormalClosure)
        #expect(closure.webSocketError?.code == .connectionLost)
        // The first message was written long ago, and it is impossible that all 24 MB were.
        #expect(closure.unsentFrom.position > 0)
        #expect(positions.contains { $0 >= closure.unsentFrom })
        #expect(positions.contains { $0 < closure.unsentFrom })
        #expect(connection.enqueueForTest([1]) == .refused)
        await loops.shutDown(within: .zero)
    }

    @Test func aResetInTheMiddleOfALongMessageTellsThatItHadBegun() async throws {
        let gate = Gate()
        let peer = try RawPeer(receiveBufferBytes: 4096) { socket in
            try socket.acceptUpgrade()
            _ = try socket.readFrame()
            try gate.wait()
            socket.reset()
        }
        let handler = RecordingHandler()
        let loops = WebSocketEventLoops()
        let connection = try await connect(to: peer.url, handler: handler, on: loops)
        let long = connection.enqueue(sharing: [[1, 2, 3], ArraySlice(repeating: 7, count: 64 << 20)])
        let next = connection.enqueueForTest([1])
        connection.wake()
        gate.open()
        let closure = try #require(await handler.closure())
        // 64 MiB do not fit into the kernel's buffers.
        #expect(closure.unsentFrom > (try #require(long.position)))
        #expect(closure.unsentFrom <= (try #require(next.position)))
        #expect(connection.enqueue(sharing: [[1]]) == .refused)
        await loops.shutDown(within: .zero)
    }

    @Test func aWithdrawnMessageIsNeverSent() async throws {
        let gate = Gate()
        let peer = try RawPeer { socket -> [String] in
            try socket.acceptUpgrade()
            try gate.wait()
            var texts: [String] = []
            while texts.last != "last", let frame = try socket.readFrame() { texts.append(frame.text) }
            return texts
        }
        let loops = WebSocketEventLoops()
        let connection = try await connect(
            to: peer.url, handler: RecordingHandler(), on: loops)
        // The thread was not woken yet, so everything is in the outbox.
        let first = connection.enqueueForTest(Array("first".utf8))
        let second = connection.enqueueForTest(Array("second".utf8))
        let long = connection.enqueue(sharing: [ArraySlice(repeating: 65, count: 200_000)])
        _ = connection.enqueueForTest(Array("last".utf8))
        let before = connection.queuedByteCount
        #expect(connection.withdraw(try #require(second.position)))
        #expect(!connection.withdraw(try #require(second.position)))
        #expect(connection.withdraw(try #require(long.position)))
        #expect(connection.queuedByteCount < before - 200_000)
        connection.wake()
        gate.open()
        #expect(try await peer.outcome() == ["first", "last"])
        // A message that was handed over cannot be withdrawn.
        #expect(!connection.withdraw(try #require(first.position)))
        await loops.shutDown(within: .zero)
    }
}

/// Appending arrays is a hundred times as fast in a debug build as appending elements.
private func concatenated(_ parts: [[UInt8]]) -> [UInt8] {
    var result: [UInt8] = []
    for part in parts { result += part }
    return result
}

extension WebSocketConnection {
    func enqueueForTest(_ bytes: [UInt8]) -> EnqueueOutcome {
        bytes.withUnsafeBytes { raw in
            withUnsafePointer(to: raw) { enqueue(UnsafeBufferPointer(start: $0, count: 1)) }
        }
    }
}

extension EnqueueOutcome {
    var position: OutboxTicket? { if case .queued(let position, _) = self { position } else { nil } }
}
