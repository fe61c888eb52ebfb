// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// The events of a handler for a peer that sends byte by byte.
@Suite(.serialized, .inTurn(within: .seconds(60)))
struct ReadingTests {
    /// Connects to a peer that sends this and then waits for our CLOSE.
    private func events(
        configuration: WebSocketConfiguration = WebSocketConfiguration(), byteByByte: Bool = false,
        sending bytes: [UInt8], until isEnough: @escaping @Sendable (HandlerEvent) -> Bool
    ) async throws -> [HandlerEvent] {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            if byteByByte { try socket.sendOneByOne(bytes) } else { try socket.send(bytes) }
            try socket.answerClose()
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let connection = try await connect(
            to: peer.url, configuration: configuration, handler: handler, on: loops)
        _ = await handler.events.first(where: isEnough)
        connection.close()
        _ = try await peer.outcome()
        await loops.shutDown()
        return handler.events.elements
    }

    @Test func aFrameSplitOverManyReadsIsOneMessage() async throws {
        let text = String(repeating: "Größe ", count: 50)
        let events = try await events(
            byteByByte: true, sending: RawFrame(RawFrame.Opcode.text, Array(text.utf8)).bytes
        ) { $0.text != nil }
        #expect(events.compactMap(\.text) == [text])
    }

    @Test func aSmallMessageIsDeliveredInPlace() async throws {
        let events = try await events(sending: RawFrame(RawFrame.Opcode.text, Array("in place".utf8)).bytes) {
            $0.text != nil
        }
        let event = try #require(events.first { $0.text != nil })
        guard case .message(_, _, let isBorrowed) = event else {
            Issue.record("expected a message, got \(event)")
            return
        }
        #expect(isBorrowed)
    }

    @Test func anEmptyTextMessageIsAMessage() async throws {
        let events = try await events(sending: RawFrame(RawFrame.Opcode.text).bytes) { $0.text != nil }
        #expect(events.compactMap(\.text) == [""])
    }

    @Test func anEmptyFinalContinuationEndsAMessage() async throws {
        let bytes =
            RawFrame(RawFrame.Opcode.text, Array("one, ".utf8), isFinal: false).bytes
            + RawFrame(RawFrame.Opcode.continuation, Array("two".utf8), isFinal: false).bytes
            + RawFrame(RawFrame.Opcode.continuation).bytes
        let events = try await events(sending: bytes) { $0.text != nil }
        #expect(events.compactMap(\.text) == ["one, two"])
    }

    @Test func controlFramesBetweenFragmentsLeaveTheMessageWhole() async throws {
        let bytes =
            RawFrame(RawFrame.Opcode.binary, [1, 2], isFinal: false).bytes
            + RawFrame(RawFrame.Opcode.ping, [9]).bytes
            + RawFrame(RawFrame.Opcode.continuation, [3], isFinal: false).bytes
            + RawFrame(RawFrame.Opcode.pong, [8]).bytes
            + RawFrame(RawFrame.Opcode.continuation, [4]).bytes
            + RawFrame(RawFrame.Opcode.text, Array("next".utf8)).bytes
        let events = try await events(sending: bytes) { $0.text != nil }
        #expect(events.compactMap(\.binary) == [[1, 2, 3, 4]])
        #expect(events.compactMap(\.text) == ["next"])
    }

    @Test func aMessageOfTheLargestSizeIsReceived() async throws {
        var configuration = WebSocketConfiguration()
        configuration.maximumMessageBytes = 100_000
        let bytes = [UInt8](repeating: 3, count: 100_000)
        let events = try await events(
            configuration: configuration, sending: RawFrame(RawFrame.Opcode.binary, bytes).bytes
        ) { $0.binary != nil }
        #expect(events.compactMap(\.binary) == [bytes])
    }

    /// Connects to a peer that sends this. Returns the CLOSE frame that it gets, and the closure.
    private func fault(
        configuration: WebSocketConfiguration = WebSocketConfiguration(), sending bytes: [UInt8]
    ) async throws -> (close: RawFrame?, closure: TransportClosure, events: [HandlerEvent]) {
        let peer = try RawPeer { socket -> RawFrame? in
            try socket.acceptUpgrade()
            try socket.send(bytes)
            return try? socket.answerClose()
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        try await connect(
            to: peer.url, configuration: configuration, handler: handler, on: loops)
        let closure = try #require(await handler.closure())
        let close = try await peer.outcome()
        await loops.shutDown()
        return (close, closure, handler.events.elements)
    }

    @Test(arguments: [false, true])
    func aMessageOneByteOverTheLimitEndsTheConnection(isFragmented: Bool) async throws {
        var configuration = WebSocketConfiguration()
        configuration.maximumMessageBytes = 100_000
        let bytes =
            isFragmented
            ? RawFrame(RawFrame.Opcode.text, .init(repeating: 65, count: 60_000), isFinal: false).bytes
                + RawFrame(RawFrame.Opcode.continuation, .init(repeating: 65, count: 40_001)).bytes
            : RawFrame(RawFrame.Opcode.text, .init(repeating: 65, count: 100_001)).bytes
        let (close, closure, events) = try await fault(configuration: configuration, sending: bytes)
        #expect(close?.closeCode == 1009)
        #expect(close?.closeReason.contains("100000") == true)
        #expect(closure.initiator == .failure)
        #expect(closure.closeCode == .messageTooBig)
        #expect(closure.webSocketError?.code == .messageTooBig)
        #expect(closure.webSocketError?.closeCode == .messageTooBig)
        #expect(events.allSatisfy { $0.text == nil })
    }

    @Test(arguments: [
        [0x80], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0xFF, 0x62],
    ])
    func textThatIsNotUTF8EndsTheConnection(bytes: [UInt8]) async throws {
        let (close, closure, events) = try await fault(sending: RawFrame(RawFrame.Opcode.text, bytes).bytes)
        #expect(close?.closeCode == 1007)
        #expect(closure.closeCode == .invalidFramePayloadData)
        #expect(closure.webSocketError?.code == .invalidText)
        #expect(events.allSatisfy { $0.text == nil })
    }

    @Test func uncheckedTextIsDeliveredAsItIs() async throws {
        var configuration = WebSocketConfiguration()
        configuration.validatesText = false
        let events = try await events(
            configuration: configuration, sending: RawFrame(RawFrame.Opcode.text, [0xFF]).bytes
        ) { $0.text != nil }
        #expect(events.contains { if case .message([0xFF], false, _) = $0 { true } else { false } })
    }

    /// Faults after which the connection must fail (RFC 6455 §5.2, §5.4, §5.5).
    private static let faults: [String: [UInt8]] = [
        "reserved bit": RawFrame(RawFrame.Opcode.text, [65], reserved: 4).bytes,
        "reserved opcode": RawFrame(0x3, [65]).bytes,
        "reserved control opcode": RawFrame(0xB).bytes,
        "continuation of nothing": RawFrame(RawFrame.Opcode.continuation, [65]).bytes,
        "control frame of 126 bytes": RawFrame(RawFrame.Opcode.ping, .init(repeating: 1, count: 126)).bytes,
        "fragmented control frame": RawFrame(RawFrame.Opcode.ping, [1], isFinal: false).bytes,
    ]

    @Test(arguments: faults.keys.sorted())
    func aFrameThatBreaksTheRulesEndsTheConnection(fault: String) async throws {
        let (_, closure, events) = try await self.fault(sending: #require(Self.faults[fault]))
        #expect(closure.initiator == .failure)
        #expect(closure.error != nil)
        #expect(events.allSatisfy { $0.text == nil })
    }

    @Test func readingStopsAndGoesOn() async throws {
        let gate = Gate()
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            try gate.wait()
            try socket.send(RawFrame(RawFrame.Opcode.text, Array("waited".utf8)))
            try socket.answerClose()
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        let connection = try await connect(to: peer.url, handler: handler, on: loops)
        connection.setReading(false)
        gate.open()
        connection.setReading(true)
        #expect(await handler.events.first { $0.text != nil }?.text == "waited")
        connection.close()
        _ = try await peer.outcome()
        await loops.shutDown()
    }

    @Test func readingGoesOnByItselfAfterTheLongestSuspension() async throws {
        var configuration = WebSocketConfiguration()
        configuration.maximumReadSuspension = .milliseconds(200)
        let events = try await withSuspendedReading(configuration) { socket in
            try socket.send(RawFrame(RawFrame.Opcode.text, Array("late".utf8)))
            try socket.answerClose()
        } until: {
            $0.text != nil
        }
        #expect(events.compactMap(\.text) == ["late"])
    }

    @Test func aPeerThatGoesWhileReadingIsStoppedIsNoticed() async throws {
        var configuration = WebSocketConfiguration()
        configuration.maximumReadSuspension = .seconds(1000)
        let events = try await withSuspendedReading(configuration) { socket in
            socket.close()
        } until: {
            $0.closure != nil
        }
        #expect(events.last?.closure?.initiator == .failure)
    }

    private func withSuspendedReading(
        _ configuration: WebSocketConfiguration, script: @escaping @Sendable (RawSocket) throws -> Void,
        until isEnough: @escaping @Sendable (HandlerEvent) -> Bool
    ) async throws -> [HandlerEvent] {
        let gate = Gate()
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            try gate.wait()
            try script(socket)
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler(onOpen: { $0.setReading(false) })
        let connection = try await connect(
            to: peer.url, configuration: configuration, handler: handler, on: loops)
        gate.open()
        _ = await handler.events.first(where: isEnough)
        connection.close()
        _ = try await peer.outcome()
        await loops.shutDown()
        return handler.events.elements
    }
}
