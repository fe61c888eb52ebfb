// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCObservability
import JSONRPCSession
import JSONRPCTesting
import MetricsTestKit
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60))) struct SessionMetricsTests {
    private let factory = TestMetrics()

    private func connected(
        _ metrics: SessionMetrics, reconnect: ReconnectPolicy = .never
    ) async throws -> (JSONRPCClient, ScriptedPeer) {
        let peer = ScriptedPeer(matching: .anyOrder)
        var configuration = SessionConfiguration()
        configuration.calls.interceptors = [metrics]
        configuration.inbound.interceptors = [metrics]
        let client = JSONRPCClient(
            connector: peer.connector, configuration: configuration, reconnect: reconnect)
        metrics.follow(client)
        try await client.connect()
        return (client, peer)
    }

    private func total(_ label: String, _ dimensions: [(String, String)] = []) -> Int64 {
        factory.counterTotal(label: label, dimensions: dimensions)
    }

    @Test func eachOutcomeIsCountedOnce() async throws {
        let (client, peer) = try await connected(SessionMetrics(dimensions: [("peer", "p")], factory: factory))
        async let sum: Int = client.call("add", params: [1, 2])
        try peer.reply(to: try await peer.expectRequest("add"), result: 3)
        #expect(try await sum == 3)

        let refused = Task { try await client.callRaw("refuse") }
        try peer.reply(to: try await peer.expectRequest("refuse"), error: ErrorObject(code: 7, message: "no"))
        _ = await #expect(throws: ErrorObject.self) { try await refused.value }

        _ = await #expect(throws: ClientError.self) {
            try await client.callRaw("slow", params: nil, timeout: .milliseconds(1))
        }
        let cancelled = Task { try await client.callRaw("cancelled") }
        _ = try await peer.expectRequest("cancelled")
        cancelled.cancel()
        _ = await #expect(throws: CancellationError.self) { try await cancelled.value }

        let lost = Task { try await client.callRaw("lost") }
        _ = try await peer.expectRequest("lost")
        try await client.notifyRaw("hello", params: nil, options: CallOptions())
        peer.drop()
        _ = await #expect(throws: ClientError.self) { try await lost.value }

        for outcome in ["answered", "error", "timeout", "cancelled", "lost"] {
            #expect(total("jsonrpc.client.calls", [("peer", "p"), ("outcome", outcome)]) == 1, "\(outcome)")
        }
        #expect(total("jsonrpc.client.calls", [("peer", "p"), ("outcome", "failed")]) == 0)
        #expect(total("jsonrpc.client.notifications", [("peer", "p"), ("outcome", "answered")]) == 1)
        #expect(try factory.expectTimer("jsonrpc.client.duration", [("peer", "p")]).values.count == 5)
        #expect(try factory.expectMeter("jsonrpc.client.active", [("peer", "p")]).values.last == 0)
    }

    @Test func callsOfThePeerAndMembersOfBatchesAreCounted() async throws {
        let (client, peer) = try await connected(SessionMetrics(factory: factory, methodName: { $0 }))
        client.handle("greet") { () async throws -> String in "hello" }
        try peer.request("greet", id: 1)
        _ = try await peer.expectResponse(to: 1)
        #expect(total("jsonrpc.server.calls", [("method", "greet"), ("outcome", "answered")]) == 1)

        async let both = client.batch(MethodCall("one", as: Int.self), MethodCall("two", as: Int.self))
        let requests = try await peer.expectBatch()
        try peer.reply(to: requests, results: [1, 2])
        #expect(try await both == (1, 2))
        for method in ["one", "two"] {
            #expect(total("jsonrpc.client.calls", [("method", method), ("outcome", "answered")]) == 1)
        }
        await client.close()
    }

    @Test func reconnectsAreCounted() async throws {
        var reconnect = ReconnectPolicy.onLoss
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .zero, maximum: .zero)
        let metrics = SessionMetrics(factory: factory)
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector, reconnect: reconnect)
        let reporting = metrics.follow(client)
        try await client.connect()
        peer.drop()
        try await peer.expectConnection(2)
        // The client accepts no call before it is connected again.
        async let pong = client.callRaw("ping")
        try peer.reply(to: try await peer.expectRequest("ping"), result: 1)
        _ = try await pong
        await client.close()
        await reporting.value
        #expect(total("jsonrpc.connections") == 2)
        #expect(total("jsonrpc.reconnects") == 1)
        #expect(total("jsonrpc.disconnects", [("initiator", "failure")]) == 1)
        #expect(total("jsonrpc.disconnects", [("initiator", "local")]) == 1)
    }

    @Test func gapsAreCountedByReason() async throws {
        var reconnect = ReconnectPolicy.onLoss
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .zero, maximum: .zero)
        let metrics = SessionMetrics(factory: factory)
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector, reconnect: reconnect)
        let reporting = metrics.follow(client)
        let stream = client.notifications("tick", as: [Int].self, overflow: .dropNewest(capacity: 10))
        try await client.connect()
        for _ in 0..<500 { try peer.notify("tick", params: [1]) }
        peer.drop()
        try await peer.expectConnection(2)
        async let pong = client.callRaw("ping")
        try peer.reply(to: try await peer.expectRequest("ping"), result: 1)
        _ = try await pong
        await client.close()
        await reporting.value
        var (received, dropped) = (0, 0)
        for try await element in stream {
            switch element {
            case .value: received += 1
            case .gap(let gap): dropped = client.gapCounts.dropped; #expect(gap.reason == .reconnected)
            }
        }
        #expect(received == 10)
        #expect(dropped == 490)
        #expect(total("jsonrpc.dropped_notifications") == 490)
        #expect(total("jsonrpc.gaps", [("reason", "overflow")]) == 1)
        #expect(total("jsonrpc.gaps", [("reason", "reconnected")]) == 1)
    }

    @Test func methodsBeyondTheLimitShareOneName() async throws {
        let metrics = SessionMetrics(factory: factory, methodName: { $0 })
        let next = NextInterceptor<RawJSON> { _ in RawJSON("x") }
        for index in 0..<1100 {
            _ = try await metrics.intercept(call: OutboundCall(method: "m\(index)"), next: next)
        }
        #expect(total("jsonrpc.client.calls", [("method", "m999"), ("outcome", "answered")]) == 1)
        #expect(total("jsonrpc.client.calls", [("method", "other"), ("outcome", "answered")]) == 100)
    }

    @Test func followingDoesNotKeepTheClientAlive() async throws {
        let metrics = SessionMetrics(factory: factory)
        var client: JSONRPCClient? = JSONRPCClient(connector: ScriptedPeer().connector)
        weak let released = client
        let reporting = try metrics.follow(#require(client))
        client = nil
        #expect(released == nil)
        await reporting.value
    }
}
