// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing
import WebSocket

/// Requests that are accepted, and no connection after all.
@Suite(.inTurn(within: .seconds(60)))
struct FailedHandshakeTests {
    @Test(arguments: [[], ["Sec-WebSocket-Key: " + String(repeating: "k", count: 500)]] as [[String]])
    func theHandlerIsToldOfTheEnd(keyFields fields: [String]) async throws {
        let loops = WebSocketEventLoops()
        let handlers = EventLog<RecordingHandler>()
        let listener = try await WebSocketListener.listen(on: loops) { _ in
            let handler = RecordingHandler()
            handlers.record(handler)
            return .accept(handler)
        }
        let port = listener.port
        let count = 10
        for _ in 0..<count {
            try await BlockingThread.value {
                let lines = [
                    "GET / HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
                    "Sec-WebSocket-Version: 13",
                ]
                let socket = try RawSocket(connectingTo: port)
                try socket.send((lines + fields + ["", ""]).joined(separator: "\r\n"))
                _ = try? socket.readToEnd()
            }
        }
        for handler in await handlers.wait(count: count) {
            let closure = try #require(await handler.closure())
            #expect(closure.initiator == .failure)
            #expect(closure.code == .abnormalClosure)
            #expect(closure.error?.code == .connectionLost)
            #expect(handler.events.elements.count == 1)
        }
        // The next one is served.
        try await connect(to: listener.url, handler: RecordingHandler(), on: loops)
        await loops.shutdown()
    }
}
