// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import JSONRPCTesting
import TestTurns
import Testing

/// The cases of JRPCProxy's own tests, for proxies made by macro.
@Suite(.inTurn(within: .seconds(60)))
struct JRPCProxyCaseTests {
    /// One of the 18 calls that JRPCProxy's tests make by name, and again by position.
    struct EchoCase: Sendable, CustomTestStringConvertible {
        var method: String
        var names: JSONValue?
        var positions: JSONValue?
        var result: JSONValue
        /// Makes the call, and checks its result.
        var isRight: @Sendable (any EchoMethods) async throws -> Bool

        var testDescription: String { method }

        static func echo<Value: Equatable & Sendable>(
            _ method: String, _ json: JSONValue, _ value: Value,
            _ call: @escaping @Sendable (any EchoMethods, Value) async throws -> Value
        ) -> EchoCase {
            EchoCase(method: method, names: ["value": json], positions: [json], result: json) {
                try await call($0, value) == value
            }
        }

        static let all: [EchoCase] = [
            EchoCase(method: "sayHello", names: nil, positions: nil, result: "Hello World!") {
                try await $0.sayHello() == "Hello World!"
            },
            EchoCase(
                method: "appendStrings", names: ["first": "foo", "second": "bar"], positions: ["foo", "bar"],
                result: "foobar"
            ) { try await $0.appendStrings(first: "foo", second: "bar") == "foobar" },
            EchoCase(method: "addIntegers", names: ["first": 10, "second": 32], positions: [10, 32], result: 42) {
                try await $0.addIntegers(first: 10, second: 32) == 42
            },
            echo("echoBool", true, true) { try await $0.echoBool(value: $1) },
            echo("echoChar", -42, -42) { try await $0.echoChar(value: $1) },
            echo("echoShort", -2017, -2017) { try await $0.echoShort(value: $1) },
            echo("echoInt", -2_000_000_000, -2_000_000_000) { try await $0.echoInt(value: $1) },
            echo("echoLong", 42, 42) { try await $0.echoLong(value: $1) },
            echo("echoInteger", -42, -42) { try await $0.echoInteger(value: $1) },
            echo("echoUnsignedChar", 42, 42) { try await $0.echoUnsignedChar(value: $1) },
            echo("echoUnsignedShort", 2017, 2017) { try await $0.echoUnsignedShort(value: $1) },
            echo("echoUnsignedInt", 34567, 34567) { try await $0.echoUnsignedInt(value: $1) },
            echo("echoUnsignedLong", 2_000_000_000, 2_000_000_000) { try await $0.echoUnsignedLong(value: $1) },
            echo("echoUnsignedInteger", 42, 42) { try await $0.echoUnsignedInteger(value: $1) },
            echo("echoFloat", 3.1415927, Float.pi.nextUp) { try await $0.echoFloat(value: $1) },
            echo("echoDouble", 3.141592653589793, Double.pi) { try await $0.echoDouble(value: $1) },
            echo("echoString", "Hello", "Hello") { try await $0.echoString(value: $1) },
            echo("echoObject", ["x": 7, "label": "seven"], Point(x: 7, label: "seven")) {
                try await $0.echoObject(value: $1)
            },
        ]
    }

    @Test func thereAreEighteenCasesForEachWay() { #expect(EchoCase.all.count == 18) }

    private func run(_ echo: EchoCase, _ params: JSONValue?, over proxy: (DuplexSession) -> any EchoMethods)
        async throws
    {
        let link = try await ScriptedLink()
        let methods = proxy(link.client)
        let call = Task { try await echo.isRight(methods) }
        let request = try await link.peer.expectRequest(echo.method)
        #expect(request.params == params)
        try link.peer.reply(to: request, result: echo.result)
        #expect(try await call.value)
        try await link.close()
    }

    @Test(arguments: EchoCase.all) func byName(echo: EchoCase) async throws {
        try await run(echo, echo.names) { EchoByNameProxy(over: $0) }
        let link = try await ServedLink(SessionConfiguration(), EchoByNameService(EchoServer()))
        #expect(try await echo.isRight(EchoByNameProxy(over: link.client)))
        await link.client.close()
    }

    @Test(arguments: EchoCase.all) func byPosition(echo: EchoCase) async throws {
        try await run(echo, echo.positions) { EchoByPositionProxy(over: $0) }
        let link = try await ServedLink(SessionConfiguration(), EchoByPositionService(EchoServer()))
        #expect(try await echo.isRight(EchoByPositionProxy(over: link.client)))
        await link.client.close()
    }

    // MARK: Errors

    @Test func unknownMethodIsTheServersError() async throws {
        let link = try await ServedLink()
        let error = await #expect(throws: ErrorObject.self) { try await EchoByNameProxy(over: link.client).sayHello() }
        #expect(error == ErrorObject(.methodNotFound))
        await link.client.close()
    }

    @Test(arguments: [-32000, -32001]) func serverErrorTakesThePlaceOfANumber(code: Int) async throws {
        let link = try await ScriptedLink()
        let proxy = EchoByNameProxy(over: link.client)
        let thrown = ErrorObject(code: ErrorObject.Code(rawValue: code), message: "Server error", data: nil)
        let call = Task {
            if code == -32000 {
                _ = try await proxy.echoInteger(value: 1)
            } else {
                _ = try await proxy.echoDouble(value: 1)
            }
        }
        try link.peer.reply(to: await link.peer.expectRequest(), error: thrown)
        #expect(await #expect(throws: ErrorObject.self) { try await call.value } == thrown)
        try await link.close()
    }

    // MARK: Serialization

    @Test func aProxyOverAnObjectTransportNeedsNoConnection() async throws {
        let transport = EchoObjectTransport()
        #expect(try await EchoByNameProxy(over: transport).sayHello() == "Hello World!")
        #expect(try await EchoByPositionProxy(over: transport).appendStrings(first: "a", second: "b") == "ab")
        #expect(transport.seen == ["sayHello none", #"appendStrings ["a","b"]"#])
    }

    // MARK: The proxy itself

    @Test func aProxyIsOfItsProtocol() {
        let proxy: any Sendable = EchoByNameProxy(over: EchoObjectTransport())
        #expect(proxy is any EchoByName)
    }

    @Test func aProxyIsOfNoOtherProtocol() {
        let proxy: any Sendable = EchoByNameProxy(over: EchoObjectTransport())
        #expect(!(proxy is any EchoByPosition))
    }

    // MARK: What a message says

    private func seen(_ message: String) async throws -> InboundCall {
        let link = try await ScriptedLink()
        let (calls, came) = AsyncStream.makeStream(of: InboundCall.self)
        link.client.setFallbackHandler { call in
            came.yield(call)
            return .null
        }
        link.client.setFallbackNotificationHandler { came.yield($0) }
        try link.peer.send(message)
        let call = try #require(await calls.first { _ in true })
        await link.client.close()
        return call
    }

    @Test func positionalParams() async throws {
        let call = try await seen(#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1,"b"]}"#)
        #expect(call.method == "m")
        #expect(call.id == .number(1))
        #expect(call.params?.text == #"[1,"b"]"#)
    }

    @Test func namedParams() async throws {
        let call = try await seen(#"{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":1}}"#)
        #expect(call.id == .string("x"))
        #expect(call.params?.text == #"{"a":1}"#)
    }

    @Test func absentParams() async throws {
        #expect(try await seen(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#).params == nil)
    }

    @Test func absentIDMakesANotification() async throws {
        let call = try await seen(#"{"jsonrpc":"2.0","method":"m"}"#)
        #expect(call.id == nil)
        #expect(call.isNotification)
    }

    @Test func nullIDIsNoID() async throws {
        #expect(try await seen(#"{"jsonrpc":"2.0","id":null,"method":"m"}"#).id == nil)
    }

    private func outcome(_ response: String) async throws -> Result<RawJSON, any Error> {
        let link = try await ScriptedLink()
        let client = link.client
        let call = Task { try await client.callRaw("m") }
        try await link.peer.expectRequest("m")
        try link.peer.send(response)
        let outcome = await call.result
        try await link.close()
        return outcome
    }

    @Test func aResult() async throws {
        #expect(try await outcome(#"{"jsonrpc":"2.0","id":1,"result":{"a":[1]}}"#).get().text == #"{"a":[1]}"#)
    }

    @Test func anErrorForAMethodThatIsNotThere() async throws {
        let response = #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found","data":{"a":1}}}"#
        let outcome = try await outcome(response)
        let error = #expect(throws: ErrorObject.self) { _ = try outcome.get() }
        #expect(error?.code == .methodNotFound)
        #expect(error?.message == "Method not found")
        #expect(error?.data?.text == #"{"a":1}"#)
    }
}
