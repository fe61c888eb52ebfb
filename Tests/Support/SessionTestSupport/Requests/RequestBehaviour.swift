// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
package import JSONRPCSession
import WireJSON

/// The structure of params.
package enum ParamStructure: String, CaseIterable, Sendable {
    case byName, byPosition
}

/// The behaviour of calls by request types over any transport: the types and errors of JRPCProxy's own tests.
package struct RequestBehaviour: Sendable, CustomStringConvertible {
    package let description: String
    /// Runs it against an ``ArithmeticService``. Throws ``BehaviourFailure``, and the errors of calls.
    package let run: @Sendable (any JSONRPCCaller, ParamStructure) async throws -> Void

    package static let all: [RequestBehaviour] = calls + echoes + errors

    private static let calls = [
        RequestBehaviour(description: "method without params") { caller, _ in
            try await same("Hello World!", caller.call(MethodCall("helloWorld", as: String.self)))
        },
        RequestBehaviour(description: "appendStrings") { caller, structure in
            try await same("foobar", caller.call(Pair("appendStrings", structure, "foo", "bar")))
        },
        RequestBehaviour(description: "addIntegers") { caller, structure in
            try await same(42, caller.call(Pair("addIntegers", structure, 10, 32)))
        },
    ]

    private static let echoes = [
        echo("Bool", true), echo("char", Int8(-42)), echo("short", Int16(-2017)), echo("int", Int32(-2_000_000_000)),
        echo("long", Int64(42)), echo("NSInteger", -42), echo("unsigned char", UInt8(42)),
        echo("unsigned short", UInt16(2017)), echo("unsigned int", UInt32(34567)),
        echo("unsigned long", UInt64(2_000_000_000)), echo("NSUInteger", UInt(42)), echo("float", Float.pi),
        echo("double", Double.pi), echo("String", "text"),
        RequestBehaviour(description: "transformable object") { caller, structure in
            let temperature = Temperature(celsius: 21.5)
            try await same(temperature, caller.call(EchoTemperature(structure: structure, value: temperature)))
        },
    ]

    private static let errors = [
        RequestBehaviour(description: "unknown method") { caller, structure in
            try await fails(.methodNotFound, Pair<Int>("unknown", structure, 1, 2), over: caller)
        },
        RequestBehaviour(description: "server error for a call with an integer result") { caller, structure in
            try await fails(-32000, Failing<Int>(structure: structure, code: -32000), over: caller)
        },
        RequestBehaviour(description: "server error for a call with a floating-point result") { caller, structure in
            try await fails(-32001, Failing<Double>(structure: structure, code: -32001), over: caller)
        },
    ]

    private static func echo<Value: Codable & Sendable & Equatable>(_ name: String, _ value: Value) -> RequestBehaviour
    {
        RequestBehaviour(description: "echo of \(name)") { caller, structure in
            try await same(value, caller.call(Echo(structure: structure, value: value)))
        }
    }

    private static func same<Value: Equatable>(_ expected: Value, _ value: Value) throws {
        try expect(value == expected, "It gave \(value), not \(expected).")
    }

    private static func fails(
        _ code: ErrorObject.Code, _ request: some JSONRPCRequest, over caller: any JSONRPCCaller
    ) async throws {
        let error = try await failure { try await caller.call(request) }
        try expect((error as? ErrorObject)?.code == code, "It threw \(error).")
    }
}

/// Any number of params of one type, by name or by position.
private struct Params<Value: Encodable & Sendable>: Encodable, Sendable {
    var structure: ParamStructure
    var values: [(name: String, value: Value)]

    func encode(to encoder: any Encoder) throws {
        switch structure {
        case .byName:
            var members = ByName()
            for (name, value) in values { members[name] = value }
            try members.encode(to: encoder)
        case .byPosition: try values.map(\.value).encode(to: encoder)
        }
    }
}

private struct Pair<Value: Codable & Sendable>: JSONRPCRequest {
    typealias Response = Value
    var method: String
    var params: Params<Value>

    init(_ method: String, _ structure: ParamStructure, _ first: Value, _ second: Value) {
        self.method = method
        params = Params(structure: structure, values: [("first", first), ("second", second)])
    }
}

private struct Echo<Value: Codable & Sendable>: JSONRPCRequest {
    typealias Response = Value
    var structure: ParamStructure
    var value: Value
    var method: String { "echo" }
    var params: Params<Value> { Params(structure: structure, values: [("value", value)]) }
}

private struct Failing<Response: Decodable & Sendable>: JSONRPCRequest {
    var structure: ParamStructure
    var code: Int
    var method: String { "fail" }
    var params: Params<Int> { Params(structure: structure, values: [("code", code)]) }
}

/// A type without `Codable`. Its request converts it to JSON and back.
private struct Temperature: Sendable, Equatable {
    var celsius: Double
}

private struct EchoTemperature: JSONRPCRequest {
    typealias Response = Temperature
    var structure: ParamStructure
    var value: Temperature
    var method: String { "echo" }
    var params: Params<JSONValue> {
        Params(structure: structure, values: [("value", ["celsius": JSONValue(floatLiteral: value.celsius)])])
    }

    func response(from result: RawJSON, using coder: any MessageCoder) throws -> Temperature {
        guard let celsius = try JSONValue(result)["celsius"]?.doubleValue else { throw ErrorObject(.internalError) }
        return Temperature(celsius: celsius)
    }
}
