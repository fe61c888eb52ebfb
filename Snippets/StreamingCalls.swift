// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

struct Position: Codable, Sendable {
    var line: Int
    var character: Int
}

struct ReferenceParams: Codable, Sendable {
    var textDocument: [String: String]
    var position: Position
}

struct Location: Codable, Sendable {
    var uri: String
}

/// Partial results of a language server. They come before the result.
func printReferences(of client: JSONRPCClient, at position: Position, in file: String) async throws {
    let params = ReferenceParams(textDocument: ["uri": file], position: position)
    let references = try client.streamingCall(
        "textDocument/references", params: params, style: .partialResult, progress: [Location].self,
        as: [Location]?.self)
    for try await element in references {
        switch element {
        case .progress(let locations): locations.forEach { print($0.uri) }
        case .gap(let gap): print("locations are missing here:", gap)
        case .result(let rest): rest?.forEach { print($0.uri) }
        }
    }
}

struct Step: Codable, Sendable {
    var progress: Double
    var total: Double?
}

/// A tool of an MCP server that runs as long as it makes progress.
func runTool(of client: JSONRPCClient) async throws -> JSONValue {
    let call = try client.streamingCall(
        "tools/call", params: ["name": "index"], style: .modelContext, progress: Step.self, as: JSONValue.self,
        timeout: nil, idleTimeout: .seconds(30))
    return try await call.result { print("\($0.progress) of \($0.total ?? 1)") }
}

/// The other side: a handler that reports progress to the peers that ask for it.
func serveIndex(on endpoint: some JSONRPCEndpoint) {
    endpoint.setHandler("index") { call in
        for step in 1...10 {
            try await call.reportProgress(Step(progress: Double(step), total: 10), style: .modelContext)
        }
        return .null
    }
}

print("Pass a connected client to `runTool(of:)`.")
