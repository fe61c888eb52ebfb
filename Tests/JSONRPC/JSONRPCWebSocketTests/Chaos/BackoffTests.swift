// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// Servers that accept connections and drop them at once. The client must not dial in a loop: the tests check the times
/// between its dials.
@Suite(.inTurn(within: .seconds(100)))
struct BackoffTests {
    /// The times between attempts, without the random part: 10 ms, doubled up to 160 ms. 10 ms is also the least time
    /// after a failed attempt, so that an initial time of zero has the same effect.
    private static let initials: [Duration] = [.milliseconds(10), .zero]
    private static let delays = [20, 40, 80, 160, 160, 160].map { Duration.milliseconds($0) }

    private func client(of proxy: TCPFaultProxy, initial: Duration) -> JSONRPCClient {
        var webSocket = WebSocketConfiguration()
        webSocket.proxy = .none
        webSocket.connectTimeout = .seconds(50)
        var reconnect = ReconnectPolicy.always
        reconnect.backoff = ReconnectPolicy.Backoff(initial: initial, maximum: .milliseconds(160))
        return JSONRPCClient(
            connector: WebSocketConnector(to: "ws://127.0.0.1:\(proxy.port)", configuration: webSocket),
            configuration: SessionConfiguration(), reconnect: reconnect, random: { 1 })
    }

    /// The times between dials are at least those of the backoff. A slow machine makes them longer.
    private func expectBackoff(_ proxy: TCPFaultProxy) async throws {
        try await proxy.wait { $0.accepted > Self.delays.count }
        let times = proxy.statistics.dialTimes
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        print("backoff: milliseconds between dials: \(gaps.map { Int($0 / .milliseconds(1)) })")
        for (gap, delay) in zip(gaps, Self.delays) { #expect(gap >= delay, "\(gaps)") }
    }

    @Test(arguments: initials) func aServerThatResetsConnectionsBeforeTheHandshake(initial: Duration) async throws {
        let listener = try await JSONRPCListener.listen { _ in }
        let proxy = try TCPFaultProxy(upstreamPort: listener.port)
        proxy.acceptance = .reset
        let client = client(of: proxy, initial: initial)
        async let connecting: Void = client.connect()
        try await expectBackoff(proxy)
        // The server recovers, and the client connects.
        proxy.acceptance = .forward
        try await connecting
        #expect(client.state == .connected)
        await client.close()
        proxy.close()
        await listener.stop()
    }

    @Test(arguments: initials) func aServerThatDropsConnectionsAfterTheHandshake(initial: Duration) async throws {
        let sessions = EventLog<DuplexSession>()
        let listener = try await JSONRPCListener.listen { session in
            sessions.record(session)
            let events = session.events
            Task {
                for await case .stateChanged(.open) in events { session.closeNow(code: 1013, reason: "later") }
            }
        }
        let proxy = try TCPFaultProxy(upstreamPort: listener.port)
        let client = client(of: proxy, initial: initial)
        try await client.connect()
        try await expectBackoff(proxy)
        await sessions.wait(count: Self.delays.count + 1)
        await client.close()
        proxy.close()
        await listener.stop()
    }
}
