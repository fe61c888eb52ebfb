// swift-jsonrpc · SPDX-License-Identifier: MIT

// The samples of the article "Getting started".
import JSONRPCWebSocket

struct Version: Decodable, Sendable {
    var version: String
}

struct GID: Decodable, Sendable {
    var gid: String
}

struct Status: Decodable, Sendable {
    var status: String
}

struct ConfigurationParams: Decodable, Sendable {
    struct Item: Decodable, Sendable {
        var section: String?
    }
    var items: [Item]
}

struct Subtract: JSONRPCRequest {
    typealias Response = Int
    var minuend: Int, subtrahend: Int
    var method: String { "subtract" }
    var params: [Int] { [minuend, subtrahend] }
}

func connecting() async throws {
    let client = try await JSONRPCClient.connect(to: "ws://127.0.0.1:6800/jsonrpc")
    let version: Version = try await client.call("aria2.getVersion")
    print(version.version)
    await client.close()
}

func calling(_ client: JSONRPCClient) async throws {
    let gid: String = try await client.call("aria2.addUri", params: [["http://127.0.0.1/x"]])
    let status = try await client.call("aria2.tellStatus", params: [gid], as: Status.self)
    let anything = try await client.call("aria2.addUri", params: ["token:x", ["http://127.0.0.1/x"], ["dir": "/"]])
    print(status, anything)
}

func takingNotifications(_ client: JSONRPCClient) async throws {
    let stream = client.notifications("aria2.onDownloadStart", as: [GID].self)
    for try await element in stream {
        switch element {
        case .value(let started): print("started:", started.map(\.gid))
        case .gap(let gap): print("some are missing:", gap.reason)
        }
    }
}

func answering(_ client: JSONRPCClient) {
    client.handle("workspace/configuration") { (params: ConfigurationParams) in
        params.items.map { _ in JSONValue.null }
    }
}

func answeringFromTheStart(_ url: String) async throws {
    let client = JSONRPCClient(connector: WebSocketConnector(to: url))
    client.handle("ping") { "pong" }
    try await client.connect()
}

func typedRequests(_ client: JSONRPCClient) async throws {
    let difference = try await client.call(Subtract(minuend: 42, subtrahend: 23))
    let (first, second) = try await client.batch(
        Subtract(minuend: 42, subtrahend: 23), Subtract(minuend: 5, subtrahend: 3))
    print(difference, first, second)
}
