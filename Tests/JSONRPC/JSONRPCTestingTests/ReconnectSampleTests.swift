// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import TestTurns
import Testing

/// The sample "Reconnect on a manual clock" of the article "Testing your client", and the behaviour that it needs.
@Suite(.inTurn(within: .seconds(60))) struct ReconnectSampleTests {
    @Test func aClientLogsInAgainAfterARestart() async throws {
        let clock = ManualClock()
        var configuration = SessionConfiguration()
        configuration.clock = clock
        configuration.onConnect = { session in
            let _: Bool = try await session.call("login", params: ["token": "t"])
        }
        var reconnect = ReconnectPolicy.onLoss
        reconnect.backoff.jitter = .none
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector, configuration: configuration, reconnect: reconnect)
        async let connected: Void = client.connect()
        try peer.reply(to: try await peer.expectRequest("login"), result: true)
        try await connected

        // The server is down for one attempt.
        clock.advance(by: reconnect.stablePeriod)
        peer.refuseConnections(1)
        peer.drop()
        try await clock.expectSleeper(dueIn: .milliseconds(500))
        let sum = Task { try await client.call("add", params: [1, 2], as: Int.self) }
        clock.advance(by: .milliseconds(500))
        try await clock.expectSleeper(dueIn: .seconds(1))
        clock.advance(by: .seconds(1))

        // The client logs in again before it sends the call that waited.
        try peer.reply(to: try await peer.expectRequest("login"), result: true)
        try peer.reply(to: try await peer.expectRequest("add"), result: 3)
        #expect(try await sum.value == 3)
        #expect(peer.connectionCount == 2)
        await client.close()
    }

    @Test func attemptsThatAreRefusedAreReported() async throws {
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector)
        peer.refuseConnections(1)
        let error = await #expect(throws: ClientError.self) { try await client.connect() }
        #expect(error?.cause is ScriptedPeer.ConnectionRefused && error?.isRetryable == true)
        try await client.connect()
        await client.close()
    }

    // MARK: Messages after the end of a connection

    @Test func anExpectationThatWaitsAtADropGetsTheRequestOnTheNextConnection() async throws {
        var reconnect = ReconnectPolicy.onLoss
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .zero, maximum: .zero)
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector, reconnect: reconnect)
        try await client.connect()
        async let request = peer.expectRequest("ping")
        peer.drop()
        try await peer.expectConnection(2)
        let pong = Task { try await client.call("ping", as: Int.self) }
        let received = try await request
        try peer.reply(to: received, result: 1)
        #expect(try await pong.value == 1)
        #expect(received.connection == 2)
        await client.close()
    }

    @Test func anExpectationFailsAtOnceWhenTheClientHasClosed() async throws {
        let peer = ScriptedPeer(patience: .seconds(1000))
        let client = JSONRPCClient(connector: peer.connector)
        try await client.connect()
        async let early = failure { try await peer.expectRequest() }
        await client.close()
        // The task of the expectation may begin before or after the close.
        let texts = ["the connection closed with code 1000", "the connection had closed with code 1000"]
        #expect(texts.contains(await early?.instead ?? ""))
        try await peer.expectClosure()
        #expect(await failure { try await peer.expectRequest() }?.instead == "the connection had closed with code 1000")
    }

    @Test func anExpectationAfterALossNamesTheLoss() async throws {
        let peer = ScriptedPeer(patience: .milliseconds(20))
        let client = JSONRPCClient(connector: peer.connector)
        try await client.connect()
        peer.drop()
        try await peer.expectClosure()
        let instead = await failure { try await peer.expectRequest() }?.instead
        #expect(instead == "the connection ended with code 1006, and no message came on another within 0.02 seconds")
    }

    private func failure(_ body: () async throws -> some Any) async -> ScriptFailure? {
        do { _ = try await body() } catch { return error as? ScriptFailure }
        return nil
    }
}
