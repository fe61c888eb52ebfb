// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

struct Item: Codable, Sendable, Equatable {
    struct Part: Codable, Sendable, Equatable {
        var size: Int
    }
    var name: String
    var parts: [Part]
}

@JSONRPCService
protocol Store {
    func put(key: String, item: Item, copies: Int?) async throws -> Int
    func count() async throws -> Int
    @RPC(params: .whole) func replace(_ items: [Item]) async throws -> Int
    @RPC(params: .whole) func merge(options: [String: Int]?) async throws -> Int
    @RPCNotification func drop(key: String) async throws
}

@JSONRPCService(unknownParams: .refused)
protocol StrictAdder {
    func add(first: Int, second: Int) async throws -> Int
    func zero() async throws -> Int
}

struct MyStrictAdder: StrictAdder {
    func add(first: Int, second: Int) async throws -> Int { first + second }
    func zero() async throws -> Int { 0 }
}

struct MyStore: Store {
    let dropped = EventLog<String>()

    func put(key: String, item: Item, copies: Int?) async throws -> Int { item.parts.count * (copies ?? 1) }
    func count() async throws -> Int { 5 }
    func replace(_ items: [Item]) async throws -> Int { items.count }
    func merge(options: [String: Int]?) async throws -> Int { options?.count ?? -1 }
    func drop(key: String) async throws { dropped.record(key) }
}

@Suite(.inTurn(within: .seconds(60)))
struct InvalidParamsTests {
    private func answer(_ method: String, _ params: JSONValue?) async throws -> Result<JSONValue, ErrorObject> {
        let link = try await ScriptedLink()
        link.client.serve(StoreService(MyStore()))
        try link.peer.request(method, params: params, id: 1)
        let outcome = try await link.peer.expectResponse(to: 1).outcome
        try await link.close()
        return outcome
    }

    private static let item: JSONValue = ["name": "n", "parts": [["size": 1], ["size": 2]]]

    @Test(
        arguments: [
            (["key": "k", "item": item, "copies": 3], 6),
            (["copies": 3, "item": item, "key": "k"], 6),
            (["key": "k", "item": item, "copies": .null], 2),
            (["key": "k", "item": item], 2),
            (["k", item, 3], 6),
            (["k", item, .null], 2),
            (["k", item], 2),
        ] as [(JSONValue, JSONValue)])
    func paramsAreTakenByNameAndByPosition(params: JSONValue, result: JSONValue) async throws {
        #expect(try await answer("put", params) == .success(result))
    }

    @Test(
        arguments: [
            ([:], "key", nil, #"Invalid params: "key" is missing"#),
            (["key": "k"], "item", nil, #"Invalid params: "item" is missing"#),
            (["k"], "item", nil, #"Invalid params: "item" is missing"#),
            ([], "key", nil, #"Invalid params: "key" is missing"#),
            (["key": 1, "item": item], "key", nil, #"Invalid params: "key" has the wrong type"#),
            ([1, item], "key", nil, #"Invalid params: "key" has the wrong type"#),
            (["key": .null, "item": item], "key", nil, #"Invalid params: "key" is null"#),
            ([.null, item], "key", nil, #"Invalid params: "key" is null"#),
            (
                ["key": "k", "item": item, "copies": "x"], "copies", nil,
                #"Invalid params: "copies" has the wrong type"#
            ),
            (
                ["key": "k", "item": ["name": "n", "parts": [["size": 1], [:]]]], "item", "item.parts[1].size",
                #"Invalid params: "item.parts[1].size" is missing"#
            ),
            (
                ["k", ["name": "n", "parts": [["size": "large"]]]], "item", "item.parts[0].size",
                #"Invalid params: "item.parts[0].size" has the wrong type"#
            ),
        ] as [(JSONValue, String, String?, String)])
    func theErrorNamesTheParam(params: JSONValue, param: String, path: String?, message: String) async throws {
        var data: JSONValue = ["param": .string(param)]
        if let path { data["path"] = .string(path) }
        let outcome = try await answer("put", params)
        #expect(outcome == .failure(ErrorObject(code: .invalidParams, message: message, data: RawJSON(data))))
    }

    @Test func absentParamsAreNone() async throws {
        guard case .failure(let error) = try await answer("put", nil) else {
            return #expect(Bool(false), "the call was answered")
        }
        #expect(error.message == #"Invalid params: "key" is missing"#)
        #expect(try await answer("count", nil) == .success(5))
        #expect(try await answer("count", []) == .success(5))
        #expect(try await answer("count", [:]) == .success(5))
    }

    /// A peer with a newer version of a protocol sends more than this version supports.
    @Test(
        arguments: [
            ("put", ["key": "k", "item": item, "copy": 3], 2), ("put", ["k", item, 1, 2], 2), ("count", [1], 5),
            ("count", ["x": 1], 5),
        ] as [(String, JSONValue, JSONValue)])
    func unknownParamsAreIgnored(method: String, params: JSONValue, result: JSONValue) async throws {
        #expect(try await answer(method, params) == .success(result))
    }

    @Test(
        arguments: [
            ("add", ["first": 1, "second": 2, "third": 3], #"Invalid params: "third" is unknown"#),
            ("add", [1, 2, 3], "Invalid params: expected at most 2, got 3"),
            ("zero", [1], "Invalid params: expected at most 0, got 1"),
            ("zero", ["x": 1], #"Invalid params: "x" is unknown"#),
        ] as [(String, JSONValue, String)])
    func unknownParamsAreRefusedByChoice(method: String, params: JSONValue, message: String) async throws {
        let link = try await ScriptedLink()
        link.client.serve(StrictAdderService(MyStrictAdder()))
        try link.peer.request("add", params: ["second": 2, "first": 1], id: 1)
        #expect(try await link.peer.expectResponse(to: 1).outcome == .success(3))
        try link.peer.request("zero", params: [:], id: 2)
        #expect(try await link.peer.expectResponse(to: 2).outcome == .success(0))
        try link.peer.request(method, params: params, id: 3)
        guard case .failure(let error) = try await link.peer.expectResponse(to: 3).outcome else {
            return #expect(Bool(false), "the call was answered")
        }
        #expect(error.code == .invalidParams)
        #expect(error.message == message)
        try await link.close()
    }

    @Test(
        arguments: [
            ("put", ["kye": "x"], #"Invalid params: "key" is missing"#),
            ("replace", ["a": 1], "Invalid params: they have the wrong type"),
        ] as [(String, JSONValue, String)])
    func aRequestWithWrongParamsIsAnEvent(method: String, params: JSONValue, message: String) async throws {
        let link = try await ScriptedLink()
        let events = link.client.events
        link.client.serve(StoreService(MyStore()))
        try link.peer.request(method, params: params, id: 1)
        guard case .failure(let answer) = try await link.peer.expectResponse(to: 1).outcome else {
            return #expect(Bool(false), "the call was answered")
        }
        for await case .handlerFailed(let failed, let error) in events {
            #expect(failed == method)
            #expect(error as? ErrorObject == answer)
            #expect(answer.message == message)
            break
        }
        try await link.close()
    }

    @Test func paramsAsAWholeSayWhereTheyAreWrong() async throws {
        #expect(try await answer("replace", [Self.item, Self.item]) == .success(2))
        #expect(try await answer("merge", ["a": 1]) == .success(1))
        #expect(try await answer("merge", nil) == .success(-1))
        guard case .failure(let error) = try await answer("replace", [Self.item, ["name": 1, "parts": []]]) else {
            return #expect(Bool(false), "the call was answered")
        }
        #expect(error.code == .invalidParams)
        #expect(error.message.contains("name"))
        guard case .failure(let error) = try await answer("replace", ["a": 1]) else {
            return #expect(Bool(false), "the call was answered")
        }
        #expect(error == ErrorObject(code: .invalidParams, message: "Invalid params: they have the wrong type"))
    }

    @Test func aMethodAnswersRequestsAndTakesNotificationsWhateverItIs() async throws {
        let link = try await ScriptedLink()
        let mine = MyStore()
        link.client.serve(StoreService(mine))
        try await link.peer.play(
            #"""
            <-- {"jsonrpc":"2.0","id":1,"method":"drop","params":["a"]}
            --> {"jsonrpc":"2.0","id":1,"result":null}
            <-- {"jsonrpc":"2.0","method":"drop","params":{"key":"b"}}
            <-- {"jsonrpc":"2.0","method":"count"}
            """#)
        #expect(await mine.dropped.wait(count: 2) == ["a", "b"])
        try await link.close()
    }

    @Test func aNotificationWithWrongParamsIsAnEvent() async throws {
        let link = try await ScriptedLink()
        let mine = MyStore()
        let events = link.client.events
        link.client.serve(StoreService(mine))
        try link.peer.notify("drop", params: ["kye": "x"])
        var failed: [String] = []
        for await case .handlerFailed(let method, let error) in events {
            failed.append("\(method): \((error as? ErrorObject)?.message ?? "\(error)")")
            break
        }
        #expect(failed == [#"drop: Invalid params: "key" is missing"#])
        #expect(mine.dropped.elements.isEmpty)
        try await link.close()
    }
}
