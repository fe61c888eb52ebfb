// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCObservability
import JSONRPCSession
import JSONRPCTesting
import TestTurns
import Testing

/// The samples of the documentation, as in a program.
@Suite(.inTurn(within: .seconds(60))) struct SampleTests {
    @Test func bothTogether() async throws {
        let peer = ScriptedPeer()
        let connector = peer.connector
        let metrics = SessionMetrics(dimensions: [("peer", "billing")])
        let tracing = CallTracing(propagates: true)
        var configuration = SessionConfiguration()
        configuration.calls.interceptors = [tracing, metrics]
        configuration.inbound.interceptors = [tracing, metrics]
        let client = JSONRPCClient(connector: connector, configuration: configuration, reconnect: .onLoss)
        metrics.follow(client)
        try await client.connect()
        try await answeredOnce(client, peer)
    }

    @Test func metricsAlone() async throws {
        let peer = ScriptedPeer()
        let connector = peer.connector
        let metrics = SessionMetrics(dimensions: [("peer", "aria2")])
        var configuration = SessionConfiguration()
        configuration.calls.interceptors = [metrics]
        configuration.inbound.interceptors = [metrics]
        let client = JSONRPCClient(connector: connector, configuration: configuration)
        metrics.follow(client)
        try await client.connect()
        try await answeredOnce(client, peer)
    }

    @Test func tracesAlone() async throws {
        let peer = ScriptedPeer()
        let tracing = CallTracing()
        var configuration = SessionConfiguration()
        configuration.calls.interceptors = [tracing]
        configuration.inbound.interceptors = [tracing]
        let client = JSONRPCClient(connector: peer.connector, configuration: configuration)
        try await client.connect()
        try await answeredOnce(client, peer)
    }

    /// Without a backend, calls behave as they do without interceptors.
    private func answeredOnce(_ client: JSONRPCClient, _ peer: ScriptedPeer) async throws {
        async let sum: Int = client.call("add", params: [1, 2])
        let request = try await peer.expectRequest("add", params: [1, 2])
        #expect(request.json.objectValue?.count == 4)
        try peer.reply(to: request, result: 3)
        #expect(try await sum == 3)
        await client.close()
    }
}
