// swift-jsonrpc · SPDX-License-Identifier: MIT

// The program of the article "JSON-RPC over HTTP in five minutes".
import AsyncHTTPClientTransport
import JSONRPCHTTP

struct Version: Decodable, Sendable {
    var version: String
}

let url = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:6800/jsonrpc"
let transport = AsyncHTTPClientTransport()
let aria2 = JSONRPCHTTPClient(url: url, over: transport)

// A call.
let version = try await aria2.call("aria2.getVersion", as: Version.self)
print("aria2", version.version)

// Two calls in one POST.
let (active, waiting) = try await aria2.batch(
    MethodCall("aria2.tellActive", as: [JSONValue].self),
    MethodCall("aria2.tellWaiting", params: [0, 100], as: [JSONValue].self))
print(active.count, "active,", waiting.count, "waiting")

// The server's error.
do {
    try await aria2.call("aria2.tellStatus", params: ["0123456789abcdef"])
} catch let error as ErrorObject {
    print("error \(error.code):", error.message)
}

await transport.shutDown()
