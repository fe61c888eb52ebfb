// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the module's page and of the functions that connect.
import JSONRPCWebSocket

struct Version: Decodable, Sendable {
    var version: String
}

func runWithConnection() async throws -> Version {
    let version = try await JSONRPCClient.withConnection(to: "ws://127.0.0.1:6800/jsonrpc") { client in
        try await client.call("aria2.getVersion", as: Version.self)
    }
    return version
}

func connect() async throws -> Version {
    let client = try await JSONRPCClient.connect(to: "ws://127.0.0.1:6800/jsonrpc")
    let version: Version = try await client.call("aria2.getVersion")
    await client.close()
    return version
}

func connectWithOptions() async throws -> JSONRPCClient {
    var webSocket = WebSocketConfiguration()
    webSocket.headers = [("X-Client", "example")]
    webSocket.tls.trust = .only(.file("authority.pem"))
    let client = try await JSONRPCClient.connect(to: "wss://example.org/rpc", webSocket: webSocket)
    return client
}
