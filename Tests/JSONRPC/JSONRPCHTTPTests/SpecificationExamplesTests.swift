// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import TestSupport
import TestTurns
import Testing
import WireJSON

/// The examples of JSON-RPC 2.0 §7, as POSTs and their answers.
@Suite(.inTurn(within: .seconds(60)))
struct SpecificationExamplesTests {
    private struct SubtractByName: JSONRPCRequest {
        typealias Response = Int
        var subtrahend: Int, minuend: Int
        var method: String { "subtract" }
        var params: ByName { ["subtrahend": subtrahend, "minuend": minuend] }
    }

    private func client(_ answers: String...) -> (JSONRPCHTTPClient, FakeServer) {
        let server = FakeServer(replies: answers.map { .text($0) })
        return (.over(server), server)
    }

    @Test func positionalParameters() async throws {
        let (rpc, server) = client(
            #"{"jsonrpc": "2.0", "result": 19, "id": 1}"#, #"{"jsonrpc": "2.0", "result": -19, "id": 2}"#)
        #expect(try await rpc.call(Subtract(42, 23)) == 19)
        #expect(try await rpc.call(Subtract(23, 42)) == -19)
        #expect(
            server.arrivals.elements[1].json == ["jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2])
    }

    @Test func namedParameters() async throws {
        let (rpc, server) = client(#"{"jsonrpc": "2.0", "result": 19, "id": 1}"#)
        #expect(try await rpc.call(SubtractByName(subtrahend: 23, minuend: 42)) == 19)
        #expect(server.arrivals.elements[0].json["params"] == ["subtrahend": 23, "minuend": 42])
    }

    @Test func notifications() async throws {
        let (rpc, server) = client("", "")
        try await rpc.notify("update", params: [1, 2, 3, 4, 5])
        try await rpc.notify("foobar")
        #expect(server.arrivals.elements[0].json == ["jsonrpc": "2.0", "method": "update", "params": [1, 2, 3, 4, 5]])
        #expect(server.arrivals.elements[1].json == ["jsonrpc": "2.0", "method": "foobar"])
    }

    @Test func callOfAMissingMethod() async throws {
        let (rpc, _) = client(
            #"{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": 1}"#)
        #expect(await error { try await rpc.callRaw("foobar") } as? ErrorObject == ErrorObject(.methodNotFound))
    }

    @Test func callThatTheServerCannotParse() async throws {
        let (rpc, _) = client(
            #"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#,
            #"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#)
        #expect(await error { try await rpc.callRaw("foobar") } as? ErrorObject == ErrorObject(.parseError))
        for outcome in try await rpc.batch([Subtract(1), Subtract(2)]) {
            #expect(outcome == .failure(.answered(ErrorObject(.parseError))))
        }
    }

    @Test func batch() async throws {
        let (rpc, server) = client(
            #"""
            [{"jsonrpc": "2.0", "result": 7, "id": 1},
             {"jsonrpc": "2.0", "result": 19, "id": 2},
             {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
             {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": 3},
             {"jsonrpc": "2.0", "result": ["hello", 5], "id": 4}]
            """#)
        let (sum, _, difference, missing, data) = try await rpc.results(
            MethodCall("sum", params: [1, 2, 4], as: Int.self), MethodNotification("notify_hello", params: [7]),
            Subtract(42, 23), MethodCall("foo.get", params: ["name": "myself"]),
            MethodCall("get_data", as: JSONValue.self))
        #expect(sum == .success(7))
        #expect(difference == .success(19))
        #expect(missing == .failure(.answered(ErrorObject(.methodNotFound))))
        #expect(data == .success(["hello", 5]))
        #expect(server.arrivals.elements[0].methods == ["sum", "notify_hello", "subtract", "foo.get", "get_data"])
    }

    @Test func batchOfNotifications() async throws {
        let (rpc, server) = client("")
        _ = try await rpc.batch([
            .notification("notify_sum", params: [1, 2, 4]), .notification("notify_hello", params: [7]),
        ])
        #expect(server.arrivals.elements[0].isArray)
    }
}
