// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Ends of a connection whose peer neither reads nor writes any more, but keeps it open.
@Suite(.inTurn(within: .seconds(60))) struct StoppedPeerTests {
    /// The way in which a program ends the connection.
    enum Way: CaseIterable {
        case closeNow, cancelledClose, cancelledConnection
    }

    @Test(arguments: Way.allCases) func itIsNotWaitedFor(way: Way) async throws {
        // It sees the end of the connection, and nothing before it.
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            _ = try? socket.readToEnd()
        }
        var configuration = SessionConfiguration()
        configuration.drainTimeout = .seconds(3600)
        configuration.closeTimeout = .seconds(3600)
        let connector = WebSocketConnector(to: peer.url)
        switch way {
        case .closeNow:
            let client = JSONRPCClient(connector: connector, configuration: configuration)
            try await client.connect()
            async let call = clientError { try await client.callRaw("m", timeout: nil) }
            try await yieldUntil("the call is in flight") { client.session?.callsInFlight == 1 }
            client.closeNow()
            #expect(try await call?.code == .closed)
            for await state in client.states where state == .closed { break }
        case .cancelledClose:
            let client = JSONRPCClient(connector: connector, configuration: configuration)
            try await client.connect()
            let closing = Task { await client.close() }
            closing.cancel()
            await closing.value
            #expect(client.state == .closed)
        case .cancelledConnection:
            let connected = EventLog<Bool>()
            let task = Task { [configuration] in
                try await JSONRPCClient.withConnection(connector: connector, configuration: configuration) { client in
                    connected.record(true)
                    _ = try await client.callRaw("m", timeout: nil)
                }
            }
            await connected.wait(count: 1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        _ = try await peer.outcome()
    }
}
