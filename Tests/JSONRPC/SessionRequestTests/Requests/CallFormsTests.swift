// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

/// The ways in which a call can be written.
@Suite(.inTurn(within: .seconds(60)))
struct CallFormsTests {
    @Test func paramsOfMixedTypesAreALiteral() async throws {
        let wire = await Wire()
        let task = Task {
            try await wire.session.call("aria2.addUri", params: ["token:x", ["http://127.0.0.1/"], ["dir": "/"]])
        }
        let request = try await wire.peer.expectRequest(
            "aria2.addUri", params: ["token:x", ["http://127.0.0.1/"], ["dir": "/"]])
        try wire.peer.reply(to: request, result: ["gid": 1])
        let value = try await task.value
        #expect(value.gid == 1)
        try await wire.session.notify("log", params: ["level": 1, "text": "x", "extra": nil])
        try await wire.peer.expectNotification("log", params: ["level": 1, "text": "x", "extra": nil])
        await wire.session.close()
    }

    @Test func resultWithoutATypeIsAJSONValueAndMayBeIgnored() async throws {
        let wire = await Wire()
        let task = Task {
            let value = try await wire.session.call("m", params: ["x"])
            try await wire.session.call("stop")
            try await wire.session.call("stop", params: [1])
            return value
        }
        try await wire.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"m","params":["x"]}
            <-- {"jsonrpc":"2.0","id":1,"result":[1]}
            --> {"jsonrpc":"2.0","id":2,"method":"stop"}
            <-- {"jsonrpc":"2.0","id":2,"result":null}
            --> {"jsonrpc":"2.0","id":3,"method":"stop","params":[1]}
            <-- {"jsonrpc":"2.0","id":3,"result":{}}
            """#)
        #expect(try await task.value == [1])
        await wire.session.close()
    }

    @Test func paramsThatAreNullAreLeftOut() async throws {
        let wire = await Wire()
        let task = Task { try await wire.session.call("m", params: [Int]?.none, as: Int.self) }
        try await wire.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"m"}
            <-- {"jsonrpc":"2.0","id":1,"result":7}
            """#)
        #expect(try await task.value == 7)
        await wire.session.close()
    }

    @Test func aCallWithoutAResponseWaitsForItAndIgnoresIt() async throws {
        struct Stop: JSONRPCRequest {
            typealias Response = Void
            var method: String { "stop" }
        }
        let wire = await Wire()
        let task = Task { try await wire.session.call(Stop()) }
        try await wire.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"stop"}
            <-- {"jsonrpc":"2.0","id":1,"result":{"what":"ever"}}
            """#)
        try await task.value
        let refused = Task { await wire.session.result(of: Stop()) }
        try wire.peer.reply(to: try await wire.peer.expectRequest("stop"), error: ErrorObject(.internalError))
        let outcome = await refused.value
        #expect(outcome.callError == .answered(ErrorObject(.internalError)))
        #expect(outcome.callError?.errorObject?.method == "stop")
        await wire.session.close()
    }

    /// All forms in one program. If nothing is ambiguous here, nothing is ambiguous anywhere.
    @Test func eachFormCompilesWithTheTypesThatItSays() async throws {
        let program = """
            import JSONRPCCore
            import JSONRPCSession
            import WireJSON

            struct Point: Codable, Sendable, Equatable { var x = 1 }
            enum Level: String, Codable, Sendable { case high }

            func results(_ client: some JSONRPCCaller, _ count: Int, _ list: [Int], _ named: [String: Int]) async throws {
                let a = try await client.call("m")
                let b = try await client.call("m", params: ["x"])
                let c = try await client.call("m", params: ["token:x", ["http"], ["dir": "/"]])
                let d = try await client.call("m", params: ["a": 1, "b": "x", "c": [nil, true, 1.5]])
                let e = try await client.call("m", params: Point())
                let f = try await client.call("m", params: [JSONValue(count), "\\(count)", .null])
                let values: [JSONValue] = [a, b, c, d, e, f]
                let g: Int = try await client.call("m")
                let h: Int = try await client.call("m", params: [1, 2])
                let i: Int = try await client.call("m", params: ["a": 1])
                let j: Int = try await client.call("m", params: ["a": 1, "b": "x"])
                let k: Int = try await client.call("m", params: list)
                let l: Int = try await client.call("m", params: named, timeout: .seconds(1))
                let m = try await client.call("m", params: [1, "x"], as: Int.self)
                let n = try await client.call("m", params: ByPosition(1, "x", Point()), as: Int.self)
                let o = try await client.call("m", as: Int.self, timeout: nil)
                let numbers: [Int] = [g, h, i, j, k, l, m, n, o]
                let p: Point = try await client.call("m", params: Point())
                let q: [Point] = try await client.call("m", params: [Point(), Point()])
                let r: Point? = try await client.call("m", params: ["at": Point()])
                let s: JSONValue = try await client.call("m", params: [1])
                let t: Level = try await client.call("m", params: ["level": Level.high], options: CallOptions())
                let u: String = try await client.call("m", params: RawJSON([1]))
                let v: String = try await client.call("m", params: [] as [Int])
                let w = try await client.call("m", params: [:] as [String: Int], as: [String].self)
                let same = try await client.call("m", params: [1, 2]) == 3
                if let name = try await client.call("m", params: [1, "x"])["name"]?.stringValue { print(name) }
                print(values, numbers, p, q, r as Any, s, t, u, v, w, same, try await client.call("m", params: ["x", 1]))
                async let first: Int = client.call("m", params: [1, "x"])
                async let second = client.call("m", params: [1])
                _ = try await (first, second.stringValue)
            }

            func ignored(_ client: any JSONRPCCaller, _ list: [Int]) async throws {
                try await client.call("m")
                try await client.call("m", params: ["x"])
                try await client.call("m", params: ["x", 1])
                try await client.call("m", params: list, timeout: .seconds(1))
                _ = try await client.call("m", params: ["a": [1, "x"]])
                try await client.notify("m")
                try await client.notify("m", params: ["x"])
                try await client.notify("m", params: ["token:x", ["http"], ["dir": "/"]])
                try await client.notify("m", params: ["a": 1, "b": nil])
                try await client.notify("m", params: Point(), options: CallOptions())
            }

            func requests(_ client: JSONRPCClient) async throws {
                let (a, b, c) = try await client.batch(
                    MethodCall("m", params: [1, 2], as: Int.self), MethodCall("m", params: [1, "x"], as: Int.self),
                    MethodCall("m", params: ["token:x", ["http"], ["dir": "/"]]))
                let (d, _, e): (Int, Void, JSONValue) = try await client.batch(
                    MethodCall("m", params: ["a": 1, "b": "x"]), MethodNotification("n", params: [1, "x"]), MethodCall("m"))
                let f: String = try await client.call(MethodCall("m", params: [1, "x"]))
                print(a + b, c.stringValue as Any, d, e, f)
            }

            func outcomes(_ client: JSONRPCClient) async {
                let a: Result<Int, CallError> = await client.result(of: "m", as: Int.self)
                let b: Result<Int, CallError> = await client.result(of: "m", params: [1], as: Int.self)
                let c: Result<Int, CallError> = await client.result(of: "m", params: [1, "x"], as: Int.self)
                let d: RawJSON = (try? await client.callRaw("m", params: RawJSON([1]))) ?? .null
                let e: Result<Void, CallError> = await client.result(of: MethodNotification("n", params: [1]))
                let f: Result<JSONValue, CallError> = await client.result(of: MethodCall("m", params: [1, "x"]))
                let g: [Result<RawJSON, CallError>?]? = try? await client.batch([.call("m")])
                let h: [BatchEntry]? = try? [
                    .call("m", params: [1, "x"]), .call("m", params: [1]), .notification("n", params: ["a": 1, "b": "x"]),
                    .call("m", params: Point()),
                ]
                print(a, b, c, d, e, f, g as Any, h as Any)
            }
            """
        #expect(try await compilerComplaints(about: ["Program.swift": program]) == [])
    }
}
