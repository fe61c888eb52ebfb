// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import JSONRPCWebSocket
import WebSocket

/// The last step: a server that restarts.
extension Demonstration {
    struct Tick: Decodable, Sendable {
        var subscription: Int
        var tick: Int
    }

    struct TickParams: Encodable, Sendable {
        var interval: Double
        var count: Int
    }

    func restart(on eventLoops: WebSocketEventLoops) async throws {
        try title("The server restarts: the client connects again")
        // A port that was just freed could belong to another program, so the servers share a socket in a folder.
        let socket = (Environment.value("TMPDIR") ?? "/tmp") + "/jsonrpc-demo-\(getpid()).socket"
        let server = try await JSONRPCListener.listen(at: .unixSocket(socket), on: eventLoops) {
            EmbeddedServer.serve($0)
        }
        var reconnect = ReconnectPolicy.onLoss
        reconnect.backoff.initial = .milliseconds(100)
        let client = JSONRPCClient(
            connector: WebSocketConnector(to: server.url, on: eventLoops), reconnect: reconnect,
            onConnect: { session in
                let params = TickParams(interval: 0.02, count: 1000)
                let subscription: Int = try await session.call("tick.subscribe", params: params)
                try tell("  Connected. tick.subscribe = \(subscription)")
            })
        let ticks = client.notifications("tick", as: Tick.self)
        let restarted: JSONRPCListener
        do {
            try await client.connect()
            restarted = try await follow(ticks, client, server, socket, eventLoops)
        } catch {
            client.closeNow()
            throw error
        }
        await client.close()
        await restarted.shutDown(within: .zero)
    }

    /// Prints ticks, and restarts the server after the second tick. Returns after the second tick of the new server.
    private func follow(
        _ ticks: NotificationStream<Tick>, _ client: JSONRPCClient, _ server: JSONRPCListener, _ socket: String,
        _ eventLoops: WebSocketEventLoops
    ) async throws -> JSONRPCListener {
        var restarted: JSONRPCListener?
        var gaps = 0
        for try await element in ticks {
            switch element {
            case .value(let tick) where tick.tick <= 2:
                try tell("  <-- tick \(tick.tick)")
                guard tick.tick == 2 else { continue }
                if let restarted, gaps == 1 { return restarted }
                await server.shutDown(within: .zero)
                try tell("  The server has stopped. A new one starts.")
                restarted = try await JSONRPCListener.listen(at: .unixSocket(socket), on: eventLoops) {
                    EmbeddedServer.serve($0)
                }
                let options = CallOptions(isIdempotent: true)
                let sum: Int = try await client.call("add", params: [20, 22], options: options)
                try tell("  A call made meanwhile waited for the connection: add[20,22] = \(sum)")
            case .value: continue
            case .gap(let gap):
                gaps += 1
                try tell("  The stream tells that ticks may be missing: .gap(\(gap.reason))")
            }
        }
        throw Surprise(description: "The ticks ended. Expected a new connection.")
    }
}
