// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import SessionTestSupport
import TestTurns
import Testing

@Suite("Behaviour of sessions over WebSocket", .inTurn(within: .seconds(60)))
struct SessionBehaviourTests {
    private func link(_ engine: Engine) -> SessionLink {
        SessionLink { accept in
            var configuration = JSONRPCListener.Configuration()
            configuration.webSocket.connection.engine = engine.listener
            let listener = try await JSONRPCListener.listen(configuration: configuration, accept: accept)
            return (WebSocketConnector.patient(to: listener.url, engine: engine.client), { await listener.stop() })
        }
    }

    @Test(arguments: SessionBehaviour.allCases, Engine.webSockets)
    func behaves(_ behaviour: SessionBehaviour, engine: Engine) async throws {
        try await behaviour.run(over: link(engine))
    }
}
