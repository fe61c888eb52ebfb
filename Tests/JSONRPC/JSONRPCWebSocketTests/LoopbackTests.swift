// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing
import WebSocket

@Suite("Sessions over WebSocket", .inTurn(within: .seconds(60)))
struct LoopbackTests {
    @Test func callsInFlightAreAllAnswered() async throws {
        let listener = try await JSONRPCListener.listen { session in
            session.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
        }
        let session = DuplexSession()
        try await WebSocketConnector.patient(to: listener.url).connect(receiver: session.receiver)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for term in 0..<1000 {
                group.addTask { try await session.call("add", params: [term, 1], as: Int.self) == term + 1 }
            }
            for try await isRight in group { #expect(isRight) }
        }
        await session.close()
        #expect(session.callCounts.issued == 1000)
        #expect(session.callCounts.settled == 1000)
        #expect(session.closure?.code == 1000)
        await listener.stop()
    }

    @Test func aListenerLooksAtTheRequestAndRefuses() async throws {
        let listener = try await JSONRPCListener.listen { session, request in
            guard request.header("Authorization") == "Bearer right" else {
                throw WebSocketListener.UpgradeRefusal(status: 401)
            }
            session.handle("path") { (_: [Int]) in request.target }
        }
        var configuration = WebSocketConfiguration()
        configuration.connectTimeout = .seconds(50)
        configuration.headers = [("Authorization", "Bearer wrong")]
        let wrong = configuration
        let error = await #expect(throws: ClientError.self) {
            try await JSONRPCClient.connect(to: listener.url, webSocket: wrong)
        }
        #expect((error?.cause as? WebSocketError)?.response?.status == 401)
        configuration.headers = [("Authorization", "Bearer right")]
        let client = try await JSONRPCClient.connect(to: listener.url + "a?b", webSocket: configuration)
        #expect(try await client.call("path", params: [1], as: String.self) == "/a?b")
        await client.close()
        await listener.stop()
    }
}
