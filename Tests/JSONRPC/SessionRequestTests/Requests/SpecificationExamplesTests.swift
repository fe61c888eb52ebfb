// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestTurns
import Testing
import WireJSON

/// The examples of the JSON-RPC 2.0 specification (§7): requests as JSON values, and responses as printed there.
@Suite("JSON-RPC 2.0 §7", .inTurn(within: .seconds(60)))
struct SpecificationExamplesTests {
    private struct SubtractByName: JSONRPCRequest {
        typealias Response = Int
        var params: KeyedParams
        var method: String { "subtract" }
    }

    /// Writes its members in the order given.
    private struct KeyedParams: Encodable, Sendable {
        var first: (name: String, value: Int)
        var second: (name: String, value: Int)

        func encode(to encoder: any Encoder) throws {
            var members = ByName()
            members[first.name] = first.value
            members[second.name] = second.value
            try members.encode(to: encoder)
        }
    }

    // MARK: By request type

    @Test func positionalParameters() async throws {
        let wire = await Wire()
        async let first = wire.session.call(Subtract(minuend: 42, subtrahend: 23))
        try await wire.peer.play(
            #"""
            --> {"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}
            <-- {"jsonrpc": "2.0", "result": 19, "id": 1}
            """#)
        #expect(try await first == 19)
        async let second = wire.session.call(Subtract(minuend: 23, subtrahend: 42))
        try await wire.peer.play(
            #"""
            --> {"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}
            <-- {"jsonrpc": "2.0", "result": -19, "id": 2}
            """#)
        #expect(try await second == -19)
        await wire.session.close()
    }

    @Test func namedParameters() async throws {
        let wire = await Wire(.with { $0.calls.idGenerator = NumberIDGenerator(startingAt: 3) })
        async let first = wire.session.call(
            SubtractByName(params: KeyedParams(first: ("subtrahend", 23), second: ("minuend", 42))))
        try await wire.peer.play(
            #"""
            --> {"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}
            <-- {"jsonrpc": "2.0", "result": 19, "id": 3}
            """#)
        #expect(try await first == 19)
        async let second = wire.session.call(
            SubtractByName(params: KeyedParams(first: ("minuend", 42), second: ("subtrahend", 23))))
        try await wire.peer.play(
            #"""
            --> {"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}
            <-- {"jsonrpc": "2.0", "result": 19, "id": 4}
            """#)
        #expect(try await second == 19)
        await wire.session.close()
    }

    @Test func notification() async throws {
        let wire = await Wire()
        try await wire.session.call(MethodNotification("update", params: [1, 2, 3, 4, 5]))
        try await wire.session.call(MethodNotification("foobar"))
        try await wire.peer.play(
            #"""
            --> {"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}
            --> {"jsonrpc": "2.0", "method": "foobar"}
            """#)
        await wire.session.close()
    }

    @Test func nonExistentMethod() async throws {
        let wire = await Wire(.with { $0.calls.idGenerator = .strings(prefix: "") })
        async let outcome = wire.session.result(of: MethodCall("foobar"))
        try await wire.peer.play(
            #"""
            --> {"jsonrpc": "2.0", "method": "foobar", "id": "1"}
            <-- {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "1"}
            """#)
        #expect(await outcome == .failure(.answered(ErrorObject(.methodNotFound))))
        await wire.session.close()
    }

    // MARK: By batch

    @Test func batch() async throws {
        let wire = await Wire(.with { $0.calls.idGenerator = ids("1", "2", "5", "9") })
        async let outcomes = wire.session.results(
            MethodCall("sum", params: [1, 2, 4], as: Int.self), MethodNotification("notify_hello", params: [7]),
            Subtract(minuend: 42, subtrahend: 23), MethodCall("foo.get", params: ["name": "myself"]),
            MethodCall("get_data"))
        try await wire.peer.play(
            #"""
            --> [{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},{"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},{"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},{"jsonrpc": "2.0", "method": "get_data", "id": "9"}]
            <-- [{"jsonrpc": "2.0", "result": 7, "id": "1"},{"jsonrpc": "2.0", "result": 19, "id": "2"},{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "5"},{"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"}]
            """#)
        let (sum, hello, difference, foo, data) = try await outcomes
        #expect(sum == .success(7))
        #expect(hello.callError == nil)
        #expect(difference == .success(19))
        #expect(foo == .failure(.answered(ErrorObject(.methodNotFound))))
        #expect(data == .success(["hello", 5]))
        await wire.session.close()
    }

    @Test func batchOfNotifications() async throws {
        let wire = await Wire()
        let _: (Void, Void) = try await wire.session.batch(
            MethodNotification("notify_sum", params: [1, 2, 4]), MethodNotification("notify_hello", params: [7]))
        try await wire.peer.play(
            #"""
            --> [{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]
            """#)
        #expect(wire.session.callsInFlight == 0)
        await wire.session.close()
    }

    @Test func batchWithoutATransport() throws {
        let factory = BatchFactory(idGenerator: ids("1", "2", "5", "9"))
        let batch = try factory.create(
            MethodCall("sum", params: [1, 2, 4], as: Int.self), MethodNotification("notify_hello", params: [7]),
            Subtract(minuend: 42, subtrahend: 23), MethodCall("foo.get", params: ["name": "myself"]),
            MethodCall("get_data"))
        let printed = #"""
            [
                {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
                {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
                {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
                {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
                {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
            ]
            """#
        #expect(try batch.requestObject == JSONValue(parsing: printed))
        let answer = #"""
            [
                {"jsonrpc": "2.0", "result": 7, "id": "1"},
                {"jsonrpc": "2.0", "result": 19, "id": "2"},
                {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
                {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "5"},
                {"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"}
            ]
            """#
        let (sum, _, difference, foo, data) = batch.results(from: Array(answer.utf8))
        #expect(sum == .success(7))
        #expect(difference == .success(19))
        #expect(foo == .failure(.answered(ErrorObject(.methodNotFound))))
        #expect(data == .success(["hello", 5]))
    }

    /// The specification's answers to messages that no client of this package can send. The errors have no id, but
    /// still reach the callers.
    @Test(arguments: [
        (
            #"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#,
            ErrorObject.Code.parseError
        ),
        (
            #"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}"#,
            .invalidRequest
        ),
        (
            #"[{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}]"#,
            .invalidRequest
        ),
        (
            #"""
            [
                {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
                {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},
                {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}
            ]
            """#, .invalidRequest
        ),
    ])
    func errorsWithoutAnID(answer: String, code: ErrorObject.Code) throws {
        let single = try BatchFactory().create(Subtract(minuend: 1, subtrahend: 1))
        #expect(single.results(from: Array(answer.utf8)) == .failure(.answered(ErrorObject(code))))
        let batch = try BatchFactory().create(MethodCall("a"), MethodCall("b"), MethodCall("c"))
        let (first, second, third) = batch.results(from: Array(answer.utf8))
        for outcome in [first, second, third] { #expect(outcome == .failure(.answered(ErrorObject(code)))) }
    }

    /// A session as a server, with the same examples: its answers to the broken messages.
    @Test(arguments: [
        (
            #"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#,
            #"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#
        ),
        (
            #"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#,
            #"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}"#
        ),
        (
            #"[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method""#,
            #"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#
        ),
        ("[]", #"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}"#),
        ("[1]", #"[{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}]"#),
    ])
    func brokenMessagesAreAnswered(message: String, answer: String) async throws {
        let wire = await Wire(.with { $0.answersUnreadableMessages = true })
        try wire.peer.send(message)
        #expect(try await wire.peer.expectMessage().json == JSONValue(parsing: answer))
        await wire.session.close()
    }

    /// These ids, in order, and then the number 0.
    private func ids(_ texts: String...) -> CustomIDGenerator {
        let list = ListedIDs(texts)
        return CustomIDGenerator { list.next() }
    }
}

private final class ListedIDs: Sendable {
    private let texts: Mutex<[String]>

    init(_ texts: [String]) { self.texts = Mutex(texts.reversed()) }

    func next() -> RequestID { texts.withLock { $0.popLast().map { .string($0) } ?? 0 } }
}
