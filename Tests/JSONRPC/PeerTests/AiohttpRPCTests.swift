// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// Sessions with aiohttp-rpc, over the WebSocket of aiohttp.
@Suite(.serialized, .withEachEngine, .inTurn(within: .seconds(60)))
struct AiohttpRPCTests {
    @Test func callsAndBatchesAreAnswered() async throws {
        try await PythonPeer.run("jsonrpc_http_server.py", ["aiohttp-rpc"]) { url, _ in
            try await withClient(to: url + "ws") { client in
                let text = String(repeating: "é", count: 100_000)
                #expect(try await client.call("echo", params: [text], as: String.self) == text)
                let error = await #expect(throws: ErrorObject.self) {
                    try await client.call("fail", params: [77], as: RawJSON.self)
                }
                #expect(error?.code == 77)
                let outcomes = try await client.batch([
                    .call("echo", params: [1]), .notification("echo", params: [2]), .call("nowhere"),
                    .call("echo", params: [3]),
                ])
                try #require(outcomes.count == 4)
                #expect(try outcomes[0]?.get().text == "1")
                #expect(outcomes[1] == nil)
                let unknown = #expect(throws: CallError.self) { _ = try outcomes[2]?.get() }
                #expect(unknown?.errorObject?.code == .methodNotFound)
                #expect(try outcomes[3]?.get().text == "3")
            }
        }
    }
}
