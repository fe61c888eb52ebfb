// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// Malicious compressed messages (number 1), byte by byte.
@Suite(.inTurn(within: .seconds(120)))
struct DeflateFaultTests {
    private var compressing: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.compression = true
        configuration.pingInterval = nil
        configuration.closeTimeout = .seconds(1000)
        return configuration
    }

    private static func compressed(_ payload: [UInt8], isFinal: Bool = true) -> RawFrame {
        RawFrame(RawFrame.Opcode.text, payload, isFinal: isFinal, reserved: 4)
    }

    private static let truncated: [UInt8] = [
        0xEC, 0xC1, 0xB1, 0x00, 0x00, 0x00, 0x00, 0x02, 0x30, 0x97, 0xCC, 0xF2, 0x97, 0x08, 0xA2, 0x77, 0x5B, 0x0A,
        0x00,
        0x00,
    ]

    @Test(arguments: TestedRole.allCases) func aTruncatedStreamIsAViolation(role: TestedRole) async throws {
        let run = try await role.run(compressing) { side -> RawFrame in
            try side.send(Self.compressed(Self.truncated))
            return try side.socket.readClose()
        }
        #expect(run.outcome.closeCode == 1007)
        #expect(run.closure.initiator == .failure)
        #expect(run.closure.error != nil)
        #expect(run.events.allSatisfy { $0.text == nil })
    }

    /// The beginning of a block with codes of its own. Each zero byte after it means 1032 times "a".
    private static let beginningOfBomb: [UInt8] = [
        0xEC, 0xC1, 0x31, 0x01, 0x00, 0x00, 0x00, 0xC2, 0xA0, 0xAC, 0xEB, 0x5F, 0xC2, 0x10, 0xBE, 0x40, 0x01,
    ]

    /// The beginning of a message in which a number of KiB of zero bytes become a bit more MiB.
    private static func bomb(kibibytes: Int) -> RawFrame {
        compressed(beginningOfBomb + [UInt8](repeating: 0, count: kibibytes << 10), isFinal: false)
    }

    private var limited: WebSocketConfiguration {
        var configuration = compressing
        configuration.maximumMessageBytes = 4 << 20
        return configuration
    }

    /// Two at a time on one event loop, which serves other connections meanwhile.
    @Test(arguments: TestedRole.allCases) func bombsAreRefusedAndTheLoopGoesOn(role: TestedRole) async throws {
        let limited = limited
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
        let witness = RecordingHandler()
        let connection = try await connect(to: listener.url, handler: witness, on: loops)
        let script: @Sendable (ScriptedSide) throws -> RawFrame = { side in
            try side.send(Self.bomb(kibibytes: 31))
            return try side.socket.readClose()
        }
        async let first = role.run(limited, on: loops, script: script)
        async let second = role.run(limited, on: loops, script: script)
        for run in try await [first, second] {
            #expect(run.outcome.closeCode == 1009)
            #expect(run.closure.webSocketError?.code == .messageTooBig)
        }
        try connection.send(text: "still here")
        #expect(await witness.events.first { $0.text != nil }?.text == "still here")
        await loops.shutDown()
    }

    /// A message below the limit uses no time while it is unfinished. It is refused when it exceeds the limit.
    @Test(arguments: TestedRole.allCases) func anUnfinishedBombBelowTheLimitWaits(role: TestedRole) async throws {
        let run = try await role.run(limited) { side -> RawFrame in
            try side.send(Self.bomb(kibibytes: 3))
            try side.send(RawFrame(RawFrame.Opcode.ping, [1]))
            guard try side.socket.readFrame()?.opcode == RawFrame.Opcode.pong else { throw RawSocketError.ended }
            // 2 MiB more.
            try side.send(RawFrame(RawFrame.Opcode.continuation, .init(repeating: 0, count: 2048), isFinal: false))
            return try side.socket.readClose()
        }
        #expect(run.outcome.closeCode == 1009)
        #expect(run.closure.webSocketError?.code == .messageTooBig)
    }

    /// RFC 7692 §7.2.3.4: "Hello" in a block that is marked as the last.
    private static let last: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]

    @Test(arguments: TestedRole.allCases) func aMessageAfterALastBlockIsOneOfItsOwn(role: TestedRole) async throws {
        let run = try await role.run(compressing) { side in
            try side.send(
                Self.compressed(Self.last), RawFrame(RawFrame.Opcode.text, Array("plain".utf8)),
                Self.compressed(Self.last), Self.compressed([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]), .close(1000))
            _ = try side.socket.readClose()
        }
        #expect(run.events.compactMap(\.text) == ["Hello", "plain", "Hello", "Hello"])
        #expect(run.closure.initiator == .remote)
    }

    /// Each of these is reported as a violation, and does no harm.
    @Test(
        arguments: TestedRole.allCases,
        [
            [0xFF], [0x07], [0x06], [0x01, 0x05, 0x00, 0x00, 0x00], [0x4B, 0x04, 0x00, 0x4B, 0x04, 0x80], [0x63, 0x18],
        ] as [[UInt8]])
    func noiseDoesNotCrash(role: TestedRole, payload: [UInt8]) async throws {
        let run = try await role.run(compressing) { side in
            try side.send(Self.compressed(payload), .close(1000))
            _ = try side.socket.readClose()
        }
        #expect(run.closure.error == nil || run.closure.closeCode == .invalidFramePayloadData)
    }

    /// If compression was not negotiated, the bit alone is a violation (RFC 7692 §6).
    @Test(arguments: TestedRole.allCases) func aCompressedMessageThatWasNotAgreedOnIsRefused(role: TestedRole)
        async throws
    {
        let run = try await role.run { side in
            try side.send(Self.compressed(Self.last))
            return try side.socket.readClose()
        }
        #expect(run.closure.webSocketError?.code == .protocolViolation)
        #expect(run.outcome.closeCode == 1002)
    }
}
