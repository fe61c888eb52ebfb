// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import TestTurns
import Testing

/// Listeners whose connections belong to receivers instead of sessions.
@Suite(.inTurn(within: .seconds(60))) struct ReceiverListenerTests {
    @Test func aScriptedPeerAnswersOverARealSocket() async throws {
        let peer = ScriptedPeer()
        let listener = try await WebSocketListener.listen { _ in peer.receiver }
        let client = try await JSONRPCClient.connect(to: listener.url)
        async let sum: Int = client.call("add", params: [1, 2])
        let request = try await peer.expectRequest("add", params: [1, 2])
        try peer.reply(to: request, result: 3)
        #expect(try await sum == 3)
        await client.close(code: 1001)
        #expect(try await peer.expectClosure().code == 1001)
        await listener.stop()
    }

    @Test(arguments: [503, 500]) func aReceiverThatIsRefusedIsAStatus(status: Int) async throws {
        struct Failure: Error {}
        let listener = try await WebSocketListener.listen { _ -> any MessageReceiver in
            if status == 503 { throw WebSocketListener.UpgradeRefusal(status: status) }
            throw Failure()
        }
        let error = await #expect(throws: ClientError.self) {
            _ = try await JSONRPCClient.connect(to: listener.url)
        }
        #expect((error?.cause as? WebSocketError)?.response?.status == status)
        await listener.stop()
    }
}
