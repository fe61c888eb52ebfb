// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// A session with a peer whose WebSocket messages are too large or malformed.
@Suite(.inTurn(within: .seconds(60))) struct PeerFaultTests {
    private var webSocket: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.proxy = .none
        return configuration
    }

    @Test func aMessageAboveOurLimitIsNamedWithTheLimitAndItsOption() async throws {
        let listener = try await JSONRPCListener.listen { session in
            session.handle("large") { String(repeating: "x", count: 100_000) }
        }
        var webSocket = webSocket
        webSocket.maximumMessageBytes = 50_000
        let client = try await JSONRPCClient.connect(to: listener.url, webSocket: webSocket)
        let error = try await clientError { try await client.call("large", as: String.self) }
        let message = try #require(error?.message)
        #expect(message.contains("50000 bytes"))
        #expect(message.contains("maximumMessageBytes"))
        #expect(error?.closeCode == 1009)
        #expect(error?.delivery == .outcomeUnknown)
        await client.close()
        await listener.stop()
    }

    /// The call is made before, while or after the connection ends. Its error always has the reason.
    @Test(arguments: [
        RawFrame(RawFrame.Opcode.ping, reserved: 4).bytes, RawFrame(3).bytes,
        RawFrame(RawFrame.Opcode.ping, isFinal: false).bytes,
        // A length of 2^63 (RFC 6455 §5.2 forbids its highest bit).
        [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0],
    ])
    func aViolationThatComesBeforeTheCallIsItsReason(frame: [UInt8]) async throws {
        for _ in 0..<20 {
            let peer = try RawPeer { socket in
                try socket.acceptUpgrade()
                try socket.send(frame)
                _ = try socket.readFrames()
            }
            let client = try await JSONRPCClient.connect(to: peer.url, webSocket: webSocket)
            let error = try #require(try await clientError { try await client.call("m", as: Int.self) })
            #expect(error.code == .connectionLost)
            #expect((error.cause as? WebSocketError)?.code == .protocolViolation)
            await client.close()
            try await peer.outcome()
        }
    }

    @Test func textThatIsNotUTF8IsAnEventAndTheConnectionStays() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            _ = try socket.readFrame()
            try socket.send(RawFrame(RawFrame.Opcode.text, [0x7B, 0xFF]))
            try socket.send(RawFrame(RawFrame.Opcode.text, Array(#"{"jsonrpc":"2.0","id":1,"result":7}"#.utf8)))
            return try socket.answerClose().closeCode
        }
        let client = try await JSONRPCClient.connect(to: peer.url, webSocket: webSocket)
        let events = client.events
        #expect(try await client.call("m", as: Int.self) == 7)
        await client.close()
        #expect(try await peer.outcome() == 1000)
        var told: [SessionEvent.IrregularMessage] = []
        for await event in events {
            if case .irregularMessage(let message) = event { told.append(message) }
        }
        #expect(told.map(\.bytes) == [[0x7B, 0xFF]])
    }
}
