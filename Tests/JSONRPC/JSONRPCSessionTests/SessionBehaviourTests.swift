// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing

@Suite("Sessions in memory", .inTurn(within: .seconds(60)))
struct SessionBehaviourTests {
    private let link = SessionLink { accept in
        let connector = InMemoryConnector {
            let session = DuplexSession()
            accept(session)
            return session.receiver
        }
        return (connector, {})
    }

    @Test(arguments: SessionBehaviour.allCases)
    func behaves(_ behaviour: SessionBehaviour) async throws {
        try await behaviour.run(over: link)
    }
}
