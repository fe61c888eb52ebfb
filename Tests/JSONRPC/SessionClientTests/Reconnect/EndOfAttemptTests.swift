// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

/// Connections and clients that end during an attempt to connect.
@Suite(.inTurn(within: .seconds(60)))
struct EndOfAttemptTests {
    private let server = ReconnectingPeer()

    /// A transport refuses messages before the session learns that the connection is lost. The error of `login` is then
    /// `closed`, which is not retryable, but the attempt is.
    @Test(arguments: [false, true])
    func aConnectionThatRefusesTheLoginIsFollowedByAnother(waitsForTheEnd: Bool) async throws {
        let client = server.client(
            .always,
            onConnect: { [server] session in
                if server.dials.times.count == 1 {
                    server.dials.near?.close(code: 1001, reason: "", deadline: .zero)
                    // The end of the connection cancels the task.
                    if waitsForTheEnd { await untilCancelled() }
                }
                _ = try await session.callRaw("login")
            })
        async let connected: Void = client.connect()
        try await server.letConnect(after: .seconds(2))
        try server.peer.reply(to: try await server.peer.expectRequest("login"), result: true)
        try await connected
        await client.close()
    }

    /// The next connection begins after the end of the old one, from which streams get nothing after the gap.
    @Test func aConnectionWhoseClosureFailedHasEndedBeforeTheNext() async throws {
        let ended = Mutex<[Bool]>([])
        let client = server.client(
            .always,
            onConnect: { [server] _ in
                let near = server.dials.nears
                ended.withLock { $0 = near.map(\.isClosed) }
                guard near.count == 1 else { return }
                // The answer to the closing handshake does not arrive.
                near[0].holdInbox()
                throw ClientError(.timedOut, "The login took too long.")
            })
        async let connected: Void = client.connect()
        await server.letAttemptBegin(after: .seconds(2))
        try await connected
        #expect(ended.withLock { $0 } == [true, false])
        await client.close()
    }

    /// The client asks for a random number after the loss of the connection, before it waits for the next attempt.
    @Test func aClientThatIsClosedJustBeforeItWaitsDoesNotWait() async throws {
        let closing = Mutex<JSONRPCClient?>(nil)
        var configuration = SessionConfiguration()
        configuration.clock = server.clock
        let client = JSONRPCClient(
            connector: server.connector, configuration: configuration, reconnect: .always,
            random: {
                closing.withLock { $0.take() }?.closeNow()
                return 1
            })
        try await client.connect()
        async let end: Void = client.run()
        closing.withLock { $0 = client }
        server.peer.drop()
        // Its clock does not advance.
        try await end
        #expect(client.state == .closed)
    }
}
