// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing

@testable import WebSocket

/// Writes that do not wait for `poll`.
@Suite(.serialized, .inTurn(within: .seconds(60)))
struct WritingAtOnceTests {
    /// The input of a peer that sends a PING with every answer, and a CLOSE at the end.
    struct Sighting {
        var texts: [Int] = []
        var pongs = 0
        var closeCode: UInt16?
        var framesAfterClose = 0
    }

    private static let rounds = 200

    /// Small, as large as a chunk, and larger than the peer's receive buffer.
    private static func message(_ round: Int) -> [UInt8] {
        let sizes = [10, 10, 65_536, 10, 200_000]
        return [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: sizes[round % sizes.count])
    }

    /// A frame inside another one would appear as a wrong payload or as an invalid frame.
    private static func converse(_ socket: RawSocket) throws -> Sighting {
        try socket.acceptUpgrade()
        var sighting = Sighting()
        var payload: [UInt8] = []
        while let frame = try socket.readFrame() {
            if sighting.closeCode != nil { sighting.framesAfterClose += 1 }
            switch frame.opcode {
            case RawFrame.Opcode.pong:
                guard frame.payload == Array("are you there".utf8) else { throw RawSocketError.unexpected("a pong") }
                sighting.pongs += 1
            case RawFrame.Opcode.close:
                sighting.closeCode = frame.closeCode
            default:
                payload += frame.payload
                guard frame.isFinal else { continue }
                let round = sighting.texts.count
                guard payload == message(round) else { throw RawSocketError.unexpected("message \(round)") }
                payload = []
                sighting.texts.append(round)
                let answer = RawFrame(RawFrame.Opcode.binary, [1]).bytes
                let ping = RawFrame(RawFrame.Opcode.ping, Array("are you there".utf8)).bytes
                let isLast = sighting.texts.count == rounds
                try socket.send(ping + answer + (isLast ? RawFrame.close(1000).bytes : []))
            }
        }
        return sighting
    }

    @Test(arguments: [true, false])
    func controlFramesGoOutBetweenWholeFrames(answersFromTheHandler: Bool) async throws {
        let peer = try RawPeer(receiveBufferBytes: 4096, script: Self.converse)
        let sent = EventLog<Int>()
        let handler = RecordingHandler(onMessage: { connection, _, _ in
            guard answersFromTheHandler else { return }
            let round = sent.elements.count
            sent.record(round)
            if round < Self.rounds { try? connection.send(binary: Self.message(round)) }
        })
        let loops = WebSocketEventLoops()
        let connection = try await connect(to: peer.url, handler: handler, on: loops)
        sent.record(0)
        try connection.send(binary: Self.message(0))
        if !answersFromTheHandler {
            for round in 1..<Self.rounds {
                // The opening is an event, too.
                _ = await handler.events.wait(count: round + 1)
                try connection.send(binary: Self.message(round))
            }
        }
        let sighting = try await peer.outcome()
        #expect(sighting.texts == Array(0..<Self.rounds))
        #expect(sighting.pongs > 0)
        #expect(sighting.closeCode == 1000)
        #expect(sighting.framesAfterClose == 0)
        #expect(await handler.closure()?.initiator == .remote)
        await loops.shutDown()
    }

    @Test func aBurstFromAHandlerArrivesInOrder() async throws {
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(on: loops) { _ in .accept(RecordingHandler.echo()) }
        let handler = RecordingHandler()
        let connection = try await connect(to: listener.url, handler: handler, on: loops)
        // Many messages with one read, then one by one, then many again.
        for number in 0..<500 { try connection.send(text: "\(number)") }
        _ = await handler.events.wait(count: 501)
        for number in 500..<520 {
            try connection.send(text: "\(number)")
            _ = await handler.events.wait(count: number + 2)
        }
        for number in 520..<1000 { try connection.send(text: "\(number)") }
        _ = await handler.events.wait(count: 1001)
        #expect(handler.events.elements.compactMap(\.text) == (0..<1000).map { "\($0)" })
        await loops.shutDown()
    }

    @Test func aChunkThatIsSentInPartsArrivesIntact() async throws {
        let gate = Gate()
        let isStuck = EventLog<Bool>()
        let (count, size) = (100, 60_000)
        let peer = try RawPeer(receiveBufferBytes: 4096) { socket -> [[UInt8]] in
            try socket.acceptUpgrade()
            // The peer reads nothing, so at some point the kernel's buffers are full in the middle of a write.
            repeat {
                try socket.send(RawFrame(RawFrame.Opcode.text, Array("look".utf8)))
                try gate.wait()
            } while isStuck.elements.last != true
            var payloads: [[UInt8]] = []
            while payloads.count < count, let frame = try socket.readFrame() { payloads.append(frame.payload) }
            return payloads
        }
        let handler = RecordingHandler(
            onOpen: { connection in
                // Smaller than a chunk: such a socket takes bytes long before it has room for a whole chunk.
                guard let descriptor = LWSContext.current?.driver(connection.id)?.descriptor.number else { return }
                var size: Int32 = 8192
                setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            },
            onMessage: { connection, _, _ in
                // This runs on the service thread, whose context has the connection.
                isStuck.record(LWSContext.current?.driver(connection.id)?.isChunkBegun == true)
                gate.open()
            })
        let loops = WebSocketEventLoops()
        let connection = try await connect(to: peer.url, handler: handler, on: loops)
        for number in 0..<count { try connection.send(binary: .init(repeating: UInt8(number % 251), count: size)) }
        let payloads = try await peer.outcome()
        #expect(isStuck.elements.last == true)
        #expect(payloads.count == count)
        for (number, payload) in payloads.enumerated() {
            #expect(payload == [UInt8](repeating: UInt8(number % 251), count: size))
        }
        await loops.shutDown(within: .zero)
    }
}

extension LWSContext {
    /// Returns the driver of a connection, or `nil` if the connection has ended.
    fileprivate func driver(_ id: UInt64) -> ConnectionDriver? { connection(id) as? ConnectionDriver }
}
