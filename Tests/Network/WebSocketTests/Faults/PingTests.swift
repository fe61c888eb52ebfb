// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing
import WebSocket

/// The answers to a peer's PINGs (number 9; RFC 6455 §5.5.3).
@Suite(.inTurn(within: .seconds(120)))
struct PingTests {
    @Test(arguments: TestedRole.allCases) func everyPingOfOneReadIsAnsweredInOrder(role: TestedRole) async throws {
        let payloads: [[UInt8]] = (0..<10).map { [UInt8](repeating: $0, count: Int($0) * 13) }
        let run = try await role.run { side -> [RawFrame] in
            try side.send(payloads.map { RawFrame(RawFrame.Opcode.ping, $0) })
            let pongs = try (0..<10).compactMap { _ in try side.socket.readFrame() }
            try side.send(.close(1000))
            return pongs + [try side.socket.readClose()]
        }
        #expect(run.outcome.dropLast().map(\.payload) == payloads)
        #expect(run.outcome.dropLast().allSatisfy { $0.opcode == RawFrame.Opcode.pong })
        #expect(run.closure.initiator == .remote)
    }

    /// The peer has read one of many waiting messages, and sends a PING.
    @Test(arguments: TestedRole.allCases) func aPongOvertakesQueuedMessages(role: TestedRole) async throws {
        let count = 400
        let message = [UInt8](repeating: 5, count: 60_000)
        let handler = RecordingHandler(onOpen: { connection in
            for _ in 0..<count { try? connection.send(binary: message) }
        })
        let run = try await role.run(handler: handler) { side -> Int? in
            _ = try side.socket.readFrame()
            try side.send(RawFrame(RawFrame.Opcode.ping, Array("now".utf8)))
            var pongIndex: Int?
            var messages = 1
            while messages < count, let frame = try side.socket.readFrame() {
                if frame.opcode == RawFrame.Opcode.pong { pongIndex = messages } else { messages += 1 }
            }
            try side.send(.close(1000))
            _ = try side.socket.readClose()
            return pongIndex
        }
        // Bytes in the kernel's buffers cannot be overtaken.
        #expect(try #require(run.outcome) < count)
    }

    /// The peer sends PINGs without end and reads nothing. The answers must not accumulate.
    @Test(.startsProcess) func aFloodOfPingsTakesNoMemory() async {
        await #expect(processExitsWith: .success) {
            let handler = RecordingHandler()
            let (begun, ended) = (Gate(), Gate())
            let pings = 200_000
            async let run = TestedRole.listener.run(handler: handler) { side -> [RawFrame] in
                let block = (0..<1000).flatMap { _ in
                    side.bytes(RawFrame(RawFrame.Opcode.ping, .init(repeating: 1, count: 125)))
                }
                try begun.wait()
                for _ in 0..<(pings / 1000) { try side.socket.send(block) }
                try side.send(RawFrame(RawFrame.Opcode.ping, Array("last".utf8)))
                try side.send(RawFrame(RawFrame.Opcode.text, Array("all sent".utf8)))
                try ended.wait()
                var frames: [RawFrame] = []
                while frames.last?.text != "last", let frame = try side.socket.readFrame() { frames.append(frame) }
                try side.send(.close(1000))
                return frames
            }
            _ = await handler.events.first { $0.isOpened }
            let growth = await ProcessResources.heapGrowth(settlingTo: 8 << 20) {
                begun.open()
                _ = await handler.events.first { $0.text != nil }
            }
            // 26 MB of answers.
            guard growth < 8 << 20 else {
                print("\(growth) bytes")
                exit(EXIT_FAILURE)
            }
            ended.open()
            let frames = try await run.outcome
            // Not all PINGs are answered, but the latest is.
            guard frames.count < pings, frames.last?.text == "last" else {
                exit(EXIT_FAILURE)
            }
        }
    }
}
