// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the articles "Tuning" and "Backpressure".
import JSONRPCWebSocket

/// A server of many small clients.
func serverOfManyClients() async throws -> JSONRPCListener {
    var configuration = JSONRPCListener.Configuration()
    configuration.webSocket.maximumConnections = 20_000
    configuration.webSocket.maximumConnectionsPerPeer = 20_000  // behind a proxy, all have its address
    configuration.webSocket.connection.maximumMessageBytes = 256 << 10
    configuration.webSocket.connection.pingInterval = .seconds(50)
    configuration.session.calls.maximumQueuedBytes = 256 << 10
    configuration.session.inbound.maximumCalls = 16
    configuration.session.inbound.maximumBytes = 1 << 20
    configuration.session.inbound.notificationBuffer = 64
    return try await JSONRPCListener.listen(configuration: configuration) { session in
        session.handleSynchronously("echo") { (texts: [String]) in texts }
    }
}

/// A client that would rather fail early than wait.
func impatientClient(_ url: String) async throws -> JSONRPCClient {
    var webSocket = WebSocketConfiguration()
    webSocket.connectTimeout = .seconds(2)
    webSocket.pingInterval = .seconds(3)
    webSocket.pingTimeout = .seconds(3)
    var configuration = SessionConfiguration()
    configuration.calls.timeout = .seconds(2)
    configuration.calls.maximumInFlight = 256
    var reconnect = ReconnectPolicy.onLoss
    reconnect.backoff.maximum = .seconds(5)
    reconnect.disconnectedCalls = .fail
    return try await JSONRPCClient.connect(
        to: url, webSocket: webSocket, configuration: configuration, reconnect: reconnect)
}

struct Row: Decodable, Sendable {
    var id: Int
}

/// A consumer that is slower than the server, and must not miss a row.
func copyRows(of client: JSONRPCClient, store: (Row) async throws -> Void) async throws {
    let rows = client.notifications("row", as: Row.self, overflow: .suspend(capacity: 1000, limit: .seconds(5)))
    for try await element in rows {
        switch element {
        case .value(let row): try await store(row)
        case .gap(let gap): print("Rows are missing:", gap)
        }
    }
}

/// A producer that is faster than its peer: `notify` waits while the outbox is full.
func sendRows(_ rows: some Sequence<Int>, to session: DuplexSession) async throws {
    for row in rows { try await session.notify("row", params: ["id": row]) }
}

print("Pass the URL of a server to `impatientClient(_:)`.")
