// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

/// The methods in the specification's examples (JSON-RPC 2.0 §7).
@JSONRPCProxyAndService(params: .byPosition)
protocol Examples {
    func subtract(_ minuend: Int, _ subtrahend: Int) async throws -> Int
    @RPC("get_data") func data() async throws -> JSONValue
    @RPC(params: .whole) func sum(_ numbers: [Int]) async throws -> Int
    @RPCNotification(params: .whole) func update(_ numbers: [Int]) async throws
    @RPCNotification("notify_sum", params: .whole) func notifySum(_ numbers: [Int]) async throws
    @RPCNotification("notify_hello", params: .whole) func notifyHello(_ numbers: [Int]) async throws
}

@JSONRPCProxy(params: .byName)
protocol NamedExamples {
    func subtract(subtrahend: Int, minuend: Int) async throws -> Int
    @RPCNotification func foobar() async throws
    @RPC("foobar") func foobarCall() async throws -> Int
}

struct ExampleServer: Examples {
    let notified = EventLog<String>()

    func subtract(_ minuend: Int, _ subtrahend: Int) async throws -> Int { minuend - subtrahend }
    func data() async throws -> JSONValue { ["hello", 5] }
    func sum(_ numbers: [Int]) async throws -> Int { numbers.reduce(0, +) }
    func update(_ numbers: [Int]) async throws { notified.record("update \(numbers)") }
    func notifySum(_ numbers: [Int]) async throws { notified.record("notify_sum \(numbers)") }
    func notifyHello(_ numbers: [Int]) async throws { notified.record("notify_hello \(numbers)") }
}

@Suite(.inTurn(within: .seconds(60)))
struct SpecificationTests {
    // MARK: As the client

    @Test func callsWithPositionalParameters() async throws {
        let link = try await ScriptedLink()
        let proxy = ExamplesProxy(over: link.client)
        async let script: Void = link.peer.play(
            #"""
            --> {"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}
            <-- {"jsonrpc": "2.0", "result": 19, "id": 1}
            --> {"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}
            <-- {"jsonrpc": "2.0", "result": -19, "id": 2}
            """#)
        #expect(try await proxy.subtract(42, 23) == 19)
        #expect(try await proxy.subtract(23, 42) == -19)
        try await script
        try await link.close()
    }

    @Test func callsWithNamedParameters() async throws {
        let link = try await ScriptedLink()
        let proxy = NamedExamplesProxy(over: link.client)
        async let script: Void = link.peer.play(
            #"""
            --> {"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 1}
            <-- {"jsonrpc": "2.0", "result": 19, "id": 1}
            --> {"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 2}
            <-- {"jsonrpc": "2.0", "result": 19, "id": 2}
            """#)
        #expect(try await proxy.subtract(subtrahend: 23, minuend: 42) == 19)
        #expect(try await proxy.subtract(subtrahend: 23, minuend: 42) == 19)
        try await script
        try await link.close()
    }

    @Test func notifications() async throws {
        let link = try await ScriptedLink()
        try await ExamplesProxy(over: link.client).update([1, 2, 3, 4, 5])
        try await NamedExamplesProxy(over: link.client).foobar()
        try await link.peer.play(
            #"""
            --> {"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}
            --> {"jsonrpc": "2.0", "method": "foobar"}
            """#)
        try await link.close()
    }

    @Test func callOfANonExistentMethod() async throws {
        let link = try await ScriptedLink()
        let client = link.client
        let call = Task { try await NamedExamplesProxy(over: client).foobarCall() }
        try await link.peer.play(
            #"""
            --> {"jsonrpc": "2.0", "method": "foobar", "id": 1}
            <-- {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": 1}
            """#)
        #expect(await #expect(throws: ErrorObject.self) { try await call.value } == ErrorObject(.methodNotFound))
        try await link.close()
    }

    // MARK: As the server

    /// A server that answers unreadable messages, as the specification requires.
    private var server: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.answersUnreadableMessages = true
        return configuration
    }

    @Test(arguments: [
        #"""
        <-- {"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}
        --> {"jsonrpc": "2.0", "result": 19, "id": 1}
        <-- {"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}
        --> {"jsonrpc": "2.0", "result": -19, "id": 2}
        """#,
        #"""
        <-- {"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}
        --> {"jsonrpc": "2.0", "result": 19, "id": 3}
        <-- {"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}
        --> {"jsonrpc": "2.0", "result": 19, "id": 4}
        """#,
        #"""
        <-- {"jsonrpc": "2.0", "method": "foobar", "id": "1"}
        --> {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "1"}
        """#,
        #"""
        <-- {"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]
        --> {"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}
        """#,
        #"""
        <-- {"jsonrpc": "2.0", "method": 1, "params": "bar"}
        --> {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}
        """#,
        #"""
        <-- [{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method"]
        --> {"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}
        """#,
        #"""
        <-- []
        --> {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}
        """#,
        #"""
        <-- [1]
        --> [{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}]
        """#,
        #"""
        <-- [1,2,3]
        --> [{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}, {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}, {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}]
        """#,
    ])
    func answers(script: String) async throws {
        let link = try await ScriptedLink(server)
        link.client.serve(ExamplesService(ExampleServer()))
        try await link.peer.play(script)
        try await link.close()
    }

    @Test func takesNotifications() async throws {
        let link = try await ScriptedLink(server)
        let mine = ExampleServer()
        link.client.serve(ExamplesService(mine))
        try await link.peer.play(
            #"""
            <-- {"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}
            <-- {"jsonrpc": "2.0", "method": "foobar"}
            """#)
        #expect(await mine.notified.wait(count: 1) == ["update [1, 2, 3, 4, 5]"])
        try await link.close()
    }

    @Test func answersTheBatchMemberByMember() async throws {
        let link = try await ScriptedLink(server)
        let mine = ExampleServer()
        link.client.serve(ExamplesService(mine))
        try link.peer.send(
            #"""
            [
                {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
                {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
                {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
                {"foo": "boo"},
                {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
                {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
            ]
            """#)
        let answers = try await link.peer.expectBatch(count: 5)
        // The answers may arrive in any order (JSON-RPC 2.0 §6).
        #expect(
            Set(answers) == [
                ["jsonrpc": "2.0", "result": 7, "id": "1"],
                ["jsonrpc": "2.0", "result": 19, "id": "2"],
                ["jsonrpc": "2.0", "error": ["code": -32600, "message": "Invalid Request"], "id": .null],
                ["jsonrpc": "2.0", "error": ["code": -32601, "message": "Method not found"], "id": "5"],
                ["jsonrpc": "2.0", "result": ["hello", 5], "id": "9"],
            ])
        #expect(await mine.notified.wait(count: 1) == ["notify_hello [7]"])
        try await link.close()
    }

    @Test func answersNothingToABatchOfNotifications() async throws {
        let link = try await ScriptedLink(server)
        let mine = ExampleServer()
        link.client.serve(ExamplesService(mine))
        try link.peer.send(
            #"""
            [{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]}, {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]
            """#)
        #expect(Set(await mine.notified.wait(count: 2)) == ["notify_sum [1, 2, 4]", "notify_hello [7]"])
        try await link.close()
    }
}
