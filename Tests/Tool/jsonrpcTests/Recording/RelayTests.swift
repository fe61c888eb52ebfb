// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import ToolSupport
import WebSocket

@testable import jsonrpc

/// The limits of `record` for a side that does not read, and for messages that come too early.
@Suite(.inTurn(within: .seconds(60))) struct RelayTests {
    @Test func aClientThatDoesNotReadIsClosed() async throws {
        let server = try RawPeer { socket in
            try socket.acceptUpgrade()
            let message = RawFrame(RawFrame.Opcode.text, [UInt8](repeating: UInt8(ascii: "1"), count: 1 << 20)).bytes
            do {
                while true { try socket.send(message) }
            } catch {
                return try socket.readFrames()
            }
        }
        var configuration = WebSocketConfiguration()
        configuration.maximumReadSuspension = .milliseconds(10)
        let (said, gate, eventLoops) = (EventLog<String>(), Gate(), WebSocketEventLoops())
        try await withTemporaryDirectory { folder in
            let path = folder + "/session.jsonl"
            let file = try RecordingFile(at: path, replaces: false) { _ in }
            let context = CallFailure.Context(maximumMessageBytes: 1 << 20)
            let listener = try await WebSocketListener.listen(
                at: .host("127.0.0.1", port: 0), configuration: WebSocketListener.Configuration(), on: eventLoops
            ) { [configuration] _ in
                let relay = Relay(recordingTo: file, context: context, say: { said.record($0) }) { handler in
                    _ = try await WebSocketConnection.connect(
                        to: server.url, configuration: configuration, receiver: handler, on: eventLoops)
                } ended: { _ in
                }
                return .accept(relay.client)
            }
            let port = listener.port
            async let client: Void = BlockingThread.value {
                let socket = try RawSocket(connectingTo: port)
                defer { socket.close() }
                try socket.requestUpgrade()
                try gate.wait()
            }
            let first = await said.wait(count: 1).first
            #expect(first?.hasPrefix("Connection 1 with the client: It was closed, because ") == true, "\(first ?? "")")
            // The server sees a loss.
            #expect(try await server.outcome() == [])
            gate.open()
            try await client
            let recording = try String(contentsOfFile: path, encoding: .utf8)
            #expect(recording.contains(#""code":1006,"reason":"","by":"failure""#))
        }
        await eventLoops.shutDown()
        #expect(said.elements.count == 1)
    }

    @Test func emptyMessagesThatComeTooEarlyCount() async throws {
        let ended = EventLog<Bool>()
        try await withTemporaryDirectory { folder in
            let file = try RecordingFile(at: folder + "/session.jsonl", replaces: false) { _ in }
            let relay = Relay(recordingTo: file) { _ in
            } ended: { _ in
                ended.record(true)
            }
            let client = relay.client
            for _ in 0...(Relay.highWaterBytes / Relay.messageOverhead) {
                #expect(ended.elements == [])
                client.messageReceived(InboundMessage(content: .owned([]), isBinary: false))
            }
        }
        #expect(ended.elements == [true])
    }
}
