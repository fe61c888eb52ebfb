// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// The end of connections (RFC 6455 §7).
@Suite(.serialized, .inTurn(within: .seconds(60)))
struct ClosingTests {
    /// Connects to a peer with this script. Returns the script's result and the closure.
    private func run<Outcome: Sendable>(
        configuration: WebSocketConfiguration = WebSocketConfiguration(),
        handler: RecordingHandler = RecordingHandler(),
        script: @escaping @Sendable (RawSocket) throws -> Outcome,
        then act: (WebSocketConnection) async throws -> Void = { _ in }
    ) async throws -> (Outcome, TransportClosure) {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            return try script(socket)
        }
        let loops = WebSocketEventLoops()
        let connection = try await connect(
            to: peer.url, configuration: configuration, handler: handler, on: loops)
        try await act(connection)
        let closure = try #require(await handler.closure())
        let outcome = try await peer.outcome()
        await loops.shutDown()
        #expect(handler.events.elements.filter { $0.closure != nil }.count == 1)
        return (outcome, closure)
    }

    @Test func ourCodeAndReasonReachThePeer() async throws {
        let (frame, closure) = try await run(script: { try $0.answerClose() }) {
            $0.close(code: WebSocketCloseCode(rawValue: 4321), reason: "that's all")
        }
        #expect(frame.closeCode == 4321)
        #expect(frame.closeReason == "that's all")
        #expect(frame.maskingKey != nil)
        #expect(closure.initiator == .local)
        #expect(closure.code == 4321)
        #expect(closure.error == nil)
    }

    /// As after a signal that cancels the task.
    @Test func aShutdownInACancelledTaskClosesInOrder() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            return try socket.answerClose().closeCode
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        try await connect(to: peer.url, handler: handler, on: loops)
        let shutdown = Task { await loops.shutDown() }
        shutdown.cancel()
        await shutdown.value
        #expect(try await peer.outcome() == 1001)
        #expect(await handler.closure()?.error == nil)
    }

    @Test func aCancelledShutdownWaitsForNoPeer() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            _ = try socket.readToEnd()
        }
        let loops = WebSocketEventLoops()
        let handler = RecordingHandler()
        try await connect(to: peer.url, handler: handler, on: loops)
        // The peer does not answer the CLOSE frame.
        let shutdown = Task { await loops.shutDown(within: .seconds(1000)) }
        shutdown.cancel()
        await shutdown.value
        #expect(await handler.closure() != nil)
        try await peer.outcome()
    }

    @Test func aReasonIsCutBetweenCharactersAt123Bytes() async throws {
        let (frame, closure) = try await run(script: { try $0.answerClose() }) {
            $0.close(reason: String(repeating: "ä", count: 100))
        }
        #expect(frame.closeReason == String(repeating: "ä", count: 61))
        #expect(closure.reason == frame.closeReason)
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535] as [UInt16])
    func aCodeThatMayNotBeSentIsReplaced(code: UInt16) async throws {
        let (frame, closure) = try await run(script: { try $0.answerClose() }) {
            $0.close(code: WebSocketCloseCode(rawValue: code), reason: "end")
        }
        #expect(frame.closeCode == 1000 && frame.closeReason == "end")
        #expect(closure.initiator == .local && closure.closeCode == .normalClosure && closure.reason == "end")
    }

    /// The peer's CLOSE frame must be read; the peer does not end its stream.
    @Test func closingEndsASuspensionOfReading() async throws {
        var configuration = WebSocketConfiguration()
        configuration.maximumReadSuspension = .seconds(1000)
        let handler = RecordingHandler(onOpen: { $0.setReading(false) })
        let script: @Sendable (RawSocket) throws -> RawFrame = { socket in
            let frame = try socket.readClose()
            try socket.send(RawFrame(RawFrame.Opcode.close, frame.payload))
            _ = try? socket.readToEnd()
            return frame
        }
        let (_, closure) = try await run(configuration: configuration, handler: handler, script: script) { connection in
            connection.close(deadline: .seconds(20))
            connection.setReading(false)
        }
        #expect(closure.initiator == .local && closure.closeCode == .normalClosure && closure.error == nil)
    }

    @Test(arguments: [1000, 1001, 1003, 1008, 1011, 1012, 1013, 1014, 3000, 4999] as [UInt16])
    func thePeersCodeAndReasonReachTheHandler(code: UInt16) async throws {
        let (answer, closure) = try await run(script: { socket -> RawFrame in
            try socket.send(RawFrame.close(code, "going"))
            return try socket.readClose()
        })
        #expect(answer.closeCode == code)
        #expect(closure.initiator == .remote)
        #expect(closure.code == code)
        #expect(closure.reason == "going")
        #expect(closure.error == nil)
    }

    @Test func aCloseFrameWithoutACodeIs1005() async throws {
        let (_, closure) = try await run(script: { socket in
            try socket.send(RawFrame(RawFrame.Opcode.close))
            _ = try socket.readClose()
        })
        #expect(closure.initiator == .remote)
        #expect(closure.closeCode == .noStatusReceived)
    }

    @Test(arguments: [1000, 1005, 1006, 4321] as [UInt16])
    func anEndIsRelayedAsItWasAfterWhatIsQueued(code: UInt16) async throws {
        let (frames, closure) = try await run(script: { socket in
            let frames = try socket.readFrames()
            if let last = frames.last, last.opcode == RawFrame.Opcode.close {
                // A server must not send masked frames.
                try socket.send(RawFrame(RawFrame.Opcode.close, last.payload))
            }
            socket.close()
            return frames
        }) { connection in
            for _ in 0..<20 { try connection.send(binary: [UInt8](repeating: 1, count: 60_000)) }
            connection.end(code: code, reason: "", deadline: .seconds(50))
        }
        #expect(frames.count { $0.opcode == RawFrame.Opcode.binary } == 20)
        #expect(closure.initiator == .local && closure.code == code)
        let close = frames.first { $0.opcode == RawFrame.Opcode.close }
        #expect(close?.payload == (code == 1006 ? nil : code == 1005 ? [] : RawFrame.close(code).payload))
    }

    @Test func everythingQueuedIsSentBeforeTheCloseFrame() async throws {
        let gate = Gate()
        let (frames, closure) = try await run(script: { socket -> [RawFrame] in
            try gate.wait()
            var frames: [RawFrame] = []
            while let frame = try socket.readFrame() {
                frames.append(frame)
                if frame.opcode == RawFrame.Opcode.close {
                    try socket.send(RawFrame(RawFrame.Opcode.close, frame.payload))
                    break
                }
            }
            return frames
        }) { connection in
            for _ in 0..<200 { try connection.send(binary: [UInt8](repeating: 1, count: 50_000)) }
            connection.close(reason: "after all that")
            #expect(throws: WebSocketError.self) { try connection.send(text: "too late") }
            gate.open()
        }
        #expect(frames.count == 201)
        #expect(frames.dropLast().allSatisfy { $0.payload.count == 50_000 })
        #expect(frames.last?.closeReason == "after all that")
        #expect(closure.initiator == .local)
        #expect(closure.error == nil)
    }

    @Test func messagesThatComeBeforeThePeersCloseAreDelivered() async throws {
        let handler = RecordingHandler()
        let (_, closure) = try await run(
            handler: handler,
            script: { socket in
                try socket.send(
                    RawFrame(RawFrame.Opcode.text, Array("last words".utf8)).bytes + RawFrame.close(1001).bytes)
                _ = try socket.readClose()
            })
        #expect(handler.events.elements.compactMap(\.text) == ["last words"])
        #expect(closure.closeCode == .goingAway)
    }

    @Test func aCloseInTheMiddleOfAFragmentedMessageEndsItWithoutDelivery() async throws {
        let handler = RecordingHandler()
        let (_, closure) = try await run(
            handler: handler,
            script: { socket in
                try socket.send(RawFrame(RawFrame.Opcode.text, [65], isFinal: false))
                try socket.send(RawFrame.close(1000, "never mind"))
                _ = try socket.readClose()
            })
        #expect(handler.events.elements.compactMap(\.text).isEmpty)
        #expect(closure.initiator == .remote)
        #expect(closure.reason == "never mind")
    }

    @Test func aPeerThatNeverAnswersCloseIsLeftAtTheDeadline() async throws {
        let gate = Gate()
        let handler = RecordingHandler()
        let (close, closure) = try await run(
            handler: handler,
            script: { socket -> RawFrame in
                let close = try socket.readClose()
                try gate.wait()
                return close
            },
            then: { connection in
                connection.close(deadline: .milliseconds(200))
                _ = await handler.closure()
                gate.open()
            })
        #expect(close.closeCode == 1000)
        #expect(closure.initiator == .local)
        #expect(closure.closeCode == .abnormalClosure)
        #expect(closure.webSocketError?.code == .closeTimeout)
    }

    @Test func aPeerThatReadsNothingIsLeftAtTheDeadline() async throws {
        let gate = Gate()
        let handler = RecordingHandler()
        let peer = try RawPeer(receiveBufferBytes: 4096) { socket in
            try socket.acceptUpgrade()
            try gate.wait()
        }
        let loops = WebSocketEventLoops()
        let connection = try await connect(to: peer.url, handler: handler, on: loops)
        for _ in 0..<200 { try connection.send(binary: [UInt8](repeating: 1, count: 60_000)) }
        connection.close(deadline: .milliseconds(200))
        let closure = try #require(await handler.closure())
        #expect(closure.closeCode == .abnormalClosure)
        #expect(closure.webSocketError?.code == .closeTimeout)
        gate.open()
        try await peer.outcome()
        await loops.shutDown()
    }

    /// The caller's deadline applies, even if it is later than `closeTimeout`.
    @Test func aPeerThatNeverAnswersTheCloseFrameIsLeftAtTheDeadline() async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let (frame, closure) = try await run(script: { socket -> RawFrame in
            let frame = try socket.readClose()
            _ = try? socket.readToEnd()
            return frame
        }) {
            $0.close(deadline: .milliseconds(5600))
        }
        #expect(frame.closeCode == 1000)
        #expect(closure.webSocketError?.code == .closeTimeout)
        #expect(clock.now - start >= .milliseconds(5600))
    }

    @Test(arguments: [1, 2]) func aDeadlineOfWholeSecondsIsKept(seconds: Int) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let (frame, closure) = try await run(script: { socket -> RawFrame in
            let frame = try socket.readClose()
            _ = try? socket.readToEnd()
            return frame
        }) {
            $0.close(deadline: .seconds(seconds))
        }
        #expect(frame.closeCode == 1000)
        #expect(closure.webSocketError?.code == .closeTimeout)
        #expect(clock.now - start < .seconds(10))
    }

    /// The server should end the TCP connection (RFC 6455 §7.1.1). The client waits only for the close timeout.
    @Test func aPeerThatClosesAndHoldsTheConnectionIsLeft() async throws {
        var configuration = WebSocketConfiguration()
        configuration.closeTimeout = .milliseconds(300)
        let clock = ContinuousClock()
        let start = clock.now
        let (_, closure) = try await run(
            configuration: configuration,
            script: { socket in
                try socket.send(RawFrame.close(1001, "away"))
                _ = try? socket.readToEnd()
            })
        #expect(closure.initiator == .remote && closure.closeCode == .goingAway && closure.reason == "away")
        #expect(clock.now - start < .seconds(4))
    }

    /// The handler gets the end at once, although the answer to the CLOSE frame cannot be sent because the peer reads
    /// nothing. The socket is closed after `closeTimeout`.
    @Test func aPeerThatClosesAndReadsNothingIsLeft() async throws {
        var configuration = WebSocketConfiguration()
        configuration.closeTimeout = .milliseconds(300)
        let gate = Gate()
        let handler = RecordingHandler()
        let peer = try RawPeer(receiveBufferBytes: 4096) { socket in
            try socket.acceptUpgrade()
            try gate.wait()
            try socket.send(RawFrame.close(1001, "away"))
            try gate.wait()
            // This ends only when the other side closes.
            _ = try? socket.readToEnd()
        }
        let loops = WebSocketEventLoops()
        let connection = try await connect(
            to: peer.url, configuration: configuration, handler: handler, on: loops)
        for _ in 0..<200 { try connection.send(binary: [UInt8](repeating: 1, count: 60_000)) }
        gate.open()
        let closure = try #require(await handler.closure())
        #expect(closure.initiator == .remote && closure.closeCode == .goingAway && closure.error == nil)
        gate.open()
        try await peer.outcome()
        await loops.shutDown()
    }

    @Test func aResetWhileIdleIsAFailure() async throws {
        let (_, closure) = try await run(script: { $0.reset() })
        #expect(closure.initiator == .failure)
        #expect(closure.closeCode == .abnormalClosure)
        #expect(closure.webSocketError?.code == .connectionLost)
    }

    @Test func anEndWithoutCloseIsAFailure() async throws {
        let (_, closure) = try await run(script: { $0.close() })
        #expect(closure.initiator == .failure)
        #expect(closure.closeCode == .abnormalClosure)
        #expect(closure.webSocketError?.code == .connectionLost)
    }

    @Test func aResetInTheMiddleOfAFrameIsAFailure() async throws {
        let handler = RecordingHandler()
        let (_, closure) = try await run(
            handler: handler,
            script: { socket in
                let frame = RawFrame(RawFrame.Opcode.text, .init(repeating: 65, count: 1000)).bytes
                try socket.send(frame.prefix(500))
                socket.reset()
            })
        #expect(handler.events.elements.compactMap(\.text).isEmpty)
        #expect(closure.initiator == .failure)
        #expect(closure.webSocketError?.code == .connectionLost)
    }

    @Test func closingFromWithinAHandlerWorks() async throws {
        let handler = RecordingHandler(onOpen: { $0.close(code: .goingAway) })
        let (frame, closure) = try await run(handler: handler, script: { try $0.answerClose() })
        #expect(frame.closeCode == 1001)
        #expect(closure.initiator == .local)
    }

    @Test func shuttingDownClosesConnectionsWith1001() async throws {
        let peer = try RawPeer { socket -> RawFrame in
            try socket.acceptUpgrade()
            return try socket.answerClose()
        }
        let handler = RecordingHandler()
        let loops = WebSocketEventLoops()
        try await connect(to: peer.url, handler: handler, on: loops)
        await loops.shutDown()
        // The handler got this before the shutdown returned.
        #expect(handler.events.elements.contains { $0.closure?.closeCode == .goingAway })
        #expect(try await peer.outcome().closeCode == 1001)
        let other = try RawPeer { try $0.readToEnd() }
        await #expect { try await connect(to: other.url, handler: handler, on: loops) } throws: {
            ($0 as? WebSocketError)?.code == .eventLoopsStopped
        }
        #expect(try await other.outcome().isEmpty)
    }
}
