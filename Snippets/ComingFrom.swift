// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the articles "Coming from …" of JSONRPCWebSocket.
import JSONRPCWebSocket

// MARK: URLSessionWebSocketTask

actor Node {
    private let client: JSONRPCClient

    init(_ url: String) async throws {
        client = try await JSONRPCClient.connect(to: url, reconnect: .onLoss)
    }

    func balance(of account: String) async throws -> String {
        try await client.call("eth_getBalance", params: [account, "latest"], timeout: .seconds(10))
    }
}

// MARK: ChimeHQ's JSONRPC

struct ConfigurationParams: Decodable, Sendable {
    var items: [JSONValue]
}

struct Diagnostics: Decodable, Sendable {
    var uri: String
}

func showDiagnostics(_ url: String) async throws {
    let client = JSONRPCClient(connector: WebSocketConnector(to: url))
    client.handle("workspace/configuration") { (params: ConfigurationParams) in
        params.items.map { _ in JSONValue.null }
    }
    let diagnostics = client.notifications("textDocument/publishDiagnostics", as: Diagnostics.self)
    try await client.connect()
    try await client.notify("initialized", params: [String: String]())
    for try await element in diagnostics.values { print(element.uri) }
}

// MARK: jsonrpsee

struct Change: Decodable, Sendable {
    var block: String
}

func storageServer() async throws -> JSONRPCListener {
    try await JSONRPCListener.listen(at: .host("127.0.0.1", port: 9944)) { session in
        session.handle("state_getKeys") { (prefix: [String]) in prefix.map { $0 + "01" } }
    }
}

func storage(_ url: String) async throws {
    let client = try await JSONRPCClient.connect(to: url, reconnect: .onLoss)
    let keys: [String] = try await client.call("state_getKeys", params: ["0x"])
    let changes = try await client.subscribe(
        "state_subscribeStorage", params: [keys], unsubscribe: "state_unsubscribeStorage",
        style: .jsonrpsee(notification: "state_storage"), overflow: .fail(capacity: 1024), as: Change.self)
    for try await change in changes.values { print(change.block) }
}

// MARK: viem and alloy

struct Header: Decodable, Sendable {
    var number: String
    var hash: String
}

func watchBlocks(_ url: String) async throws {
    let client = try await JSONRPCClient.connect(to: url, reconnect: .always)
    let number: String = try await client.call("eth_blockNumber", options: CallOptions(isIdempotent: true))
    print("The newest block is", number)
    let heads = try await client.subscribe(
        "eth_subscribe", params: ["newHeads"], unsubscribe: "eth_unsubscribe", as: Header.self)
    for try await element in heads {
        switch element {
        case .value(let header): print("block", header.number)
        case .gap(let gap): print("blocks are missing here:", gap)
        }
    }
}

func chain(_ client: JSONRPCClient) async throws {
    let (number, chain) = try await client.batch(
        MethodCall("eth_blockNumber", as: String.self), MethodCall("eth_chainId", as: String.self))
    print(number, chain)
}

print("Pass the URL of a server to one of these functions.")
