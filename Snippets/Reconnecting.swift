// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// A client that survives restarts of its server: it logs in on each connection, and its stream shows the gaps.
func printTicks(from url: String) async throws {
    var configuration = SessionConfiguration()
    configuration.onConnect = { session in
        let _: Bool = try await session.call("login", params: ["token": "t"], timeout: .seconds(5))
    }
    var reconnect = ReconnectPolicy.onLoss
    reconnect.backoff.maximum = .seconds(10)
    let client = try await JSONRPCClient.connect(to: url, configuration: configuration, reconnect: reconnect)
    for try await tick in client.notifications("tick", as: Int.self) {
        switch tick {
        case .value(let number): print(number)
        case .gap(let gap): print(gap)
        }
    }
}

/// A client of several servers, which prefers those that have worked.
func connectToOneOfSeveral() async throws -> JSONRPCClient {
    let connector = RankedConnector([
        WebSocketConnector(to: "wss://primary.example/rpc"), WebSocketConnector(to: "wss://secondary.example/rpc"),
    ])
    let client = JSONRPCClient(connector: connector, reconnect: .always)
    try await client.connect()
    return client
}

print("Pass the URL of a server that sends the notification \"tick\" to `printTicks(from:)`.")
