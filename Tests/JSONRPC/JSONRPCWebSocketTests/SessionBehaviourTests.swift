// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import SessionTestSupport
import TestTurns
import Testing

@Suite("Behaviour of sessions over WebSocket", .inTurn(within: .seconds(60)))
struct SessionBehaviourTests {
    private let link = SessionLink { accept in
        let listener = try await JSONRPCListener.listen(accept: accept)
        return (WebSocketConnector.patient(to: listener.url), { await listener.stop() })
    }

    @Test(arguments: SessionBehaviour.allCases)
    func behaves(_ behaviour: SessionBehaviour) async throws {
        try await behaviour.run(over: link)
    }
}
