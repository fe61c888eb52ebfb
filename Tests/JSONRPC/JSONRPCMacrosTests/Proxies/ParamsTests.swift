// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import JSONRPCTesting
import TestTurns
import Testing

struct Filter: Codable, Sendable, Equatable {
    var word: String
    var limit: Int
}

@JSONRPCProxy
protocol Names {
    func plain(first: Int, of second: Int, _ third: Int, fourth _: Int) async throws
    func nothing() async throws
    @RPC(params: .byPosition) func positions(first: Int, _: String, _ third: Bool) async throws
    @RPC(params: .whole) func search(_ filter: Filter) async throws
    @RPC(renaming: ["contentType": "content-type"]) func send(contentType: String, body: [Int]) async throws
    func `repeat`(`in`: Int, `self` me: Int) async throws
}

@JSONRPCProxyAndService(params: .whole)
protocol Whole {
    func status() async throws
    func find(_ filter: Filter) async throws
}

@JSONRPCProxy(prefix: "app.", naming: .snakeCase, paramNaming: .kebabCase)
protocol Styled {
    func addURIToList(theURI: String, count2: Int) async throws
    @RPC("asGiven") func given() async throws
    @RPCNotification func didChange() async throws
}

@JSONRPCProxy(params: .byPosition, naming: .upperCamelCase)
protocol Capitals {
    func getHTTPCode() async throws
    func x() async throws
}

@JSONRPCProxyAndService(
    prefix: "m/", naming: .custom { $0.uppercased() }, paramNaming: .custom { "_" + $0 })
protocol Custom {
    func callMe(by name: String, at time: Int) async throws -> String
    @RPC(renaming: ["first": "1st"]) func other(first: Int, second: Int?) async throws -> Int
}

typealias Maybe = Int?

@JSONRPCProxy
protocol Optionals {
    func aliased(a: Maybe, b: Maybe) async throws
    func named(a: Int?, b: Int, c: Optional<String>) async throws
    @RPC(nilArguments: .null) func namedNulls(a: Int?, b: Int) async throws
    @RPC(params: .byPosition) func placed(_ a: Int?, _ b: Int?, _ c: Int?) async throws
    @RPC(params: .byPosition, nilArguments: .null) func placedNulls(_ a: Int?, _ b: Int?) async throws
}

extension Optionals {
    /// The replacement for a default value in a protocol.
    func named(b: Int) async throws { try await named(a: nil, b: b, c: "default") }
}

@Suite(.inTurn(within: .seconds(60)))
struct ParamsTests {
    /// Makes a call, answers it with 0, and returns the method and the params that arrived.
    private func sent(_ call: @escaping @Sendable (DuplexSession) async throws -> Void) async throws -> String {
        let link = try await ScriptedLink()
        let client = link.client
        async let outcome: Void = call(client)
        let request = try await link.peer.expectRequest()
        try link.peer.reply(to: request, result: 0)
        try await outcome
        try await link.close()
        return "\(request.method) \(request.params?.description ?? "none")"
    }

    @Test func namesAreTheLabelsOrElseTheParametersOwn() async throws {
        #expect(
            try await sent { try await NamesProxy(over: $0).plain(first: 1, of: 2, 3, fourth: 4) }
                == #"plain {"first":1,"of":2,"third":3,"fourth":4}"#)
    }

    @Test func namesInBackticksAreSentWithoutThem() async throws {
        #expect(
            try await sent { try await NamesProxy(over: $0).repeat(in: 1, self: 2) } == #"repeat {"in":1,"self":2}"#)
    }

    @Test func aMethodWithoutParametersHasNoParams() async throws {
        #expect(try await sent { try await NamesProxy(over: $0).nothing() } == "nothing none")
    }

    @Test func paramsByPositionAreInTheOrderOfTheParameters() async throws {
        #expect(
            try await sent { try await NamesProxy(over: $0).positions(first: 1, "x", true) }
                == #"positions [1,"x",true]"#)
    }

    @Test func oneParameterCanBeTheParamsAsAWhole() async throws {
        #expect(
            try await sent { try await NamesProxy(over: $0).search(Filter(word: "w", limit: 3)) }
                == #"search {"word":"w","limit":3}"#)
    }

    @Test func wholeParamsOfAMethodWithoutParametersAreAbsent() async throws {
        #expect(try await sent { try await WholeProxy(over: $0).status() } == "status none")
        #expect(
            try await sent { try await WholeProxy(over: $0).find(Filter(word: "w", limit: 3)) }
                == #"find {"word":"w","limit":3}"#)
    }

    /// The replacement for JRPCProxy's `paramStructure:`: one protocol, called by name and by position.
    @Test func aProxyIsCalledByNameAndByPosition() async throws {
        #expect(
            try await sent { _ = try await CalculatorProxy(over: $0).addIntegers(first: 1, second: 2) }
                == #"addIntegers {"first":1,"second":2}"#)
        #expect(
            try await sent {
                _ = try await CalculatorProxy(over: $0, params: .byPosition).addIntegers(first: 1, second: 2)
            } == "addIntegers [1,2]")
    }

    @Test func aMethodKeepsTheStructureOfItsOwn() async throws {
        #expect(
            try await sent { _ = try await CalculatorProxy(over: $0, params: .byName).subtract(5, 3) }
                == "math.sub [5,3]")
        #expect(
            try await sent { try await NamesProxy(over: $0, params: .byPosition).search(Filter(word: "w", limit: 3)) }
                == #"search {"word":"w","limit":3}"#)
    }

    @Test func namesThatAFunctionMakesAreLeftOutByPosition() async throws {
        #expect(
            try await sent { _ = try await CustomProxy(over: $0, params: .byPosition).other(first: 1, second: nil) }
                == "m/OTHER [1]")
    }

    @Test func aParamCanHaveAnotherNameOnTheWire() async throws {
        #expect(
            try await sent { try await NamesProxy(over: $0).send(contentType: "text", body: [1]) }
                == #"send {"content-type":"text","body":[1]}"#)
    }

    @Test func prefixAndNamingMakeTheNamesUnlessTheyAreGiven() async throws {
        #expect(
            try await sent { try await StyledProxy(over: $0).addURIToList(theURI: "u", count2: 2) }
                == #"app.add_uri_to_list {"the-uri":"u","count2":2}"#)
        #expect(try await sent { try await StyledProxy(over: $0).given() } == "asGiven none")
        #expect(try await sent { try await CapitalsProxy(over: $0).getHTTPCode() } == "GetHTTPCode none")
        #expect(try await sent { try await CapitalsProxy(over: $0).x() } == "X none")
    }

    @Test func namingAppliesToNotifications() async throws {
        let link = try await ScriptedLink()
        try await StyledProxy(over: link.client).didChange()
        try await link.peer.expectNotification("app.did_change")
        try await link.close()
    }

    @Test func aFunctionOfTheUsersMakesNames() async throws {
        let link = try await ScriptedLink()
        let proxy = CustomProxy(over: link.client)
        async let script: Void = link.peer.play(
            #"""
            --> {"jsonrpc":"2.0","id":1,"method":"m/CALLME","params":{"_by":"n","_at":5}}
            <-- {"jsonrpc":"2.0","id":1,"result":"ok"}
            --> {"jsonrpc":"2.0","id":2,"method":"m/OTHER","params":{"1st":1}}
            <-- {"jsonrpc":"2.0","id":2,"result":2}
            """#)
        #expect(try await proxy.callMe(by: "n", at: 5) == "ok")
        #expect(try await proxy.other(first: 1, second: nil) == 2)
        try await script
        try await link.close()
    }

    @Test func nilByNameIsOmittedOrNull() async throws {
        #expect(
            try await sent { try await OptionalsProxy(over: $0).named(a: nil, b: 1, c: nil) } == #"named {"b":1}"#)
        #expect(
            try await sent { try await OptionalsProxy(over: $0).named(a: 2, b: 1, c: "c") }
                == #"named {"a":2,"b":1,"c":"c"}"#)
        #expect(
            try await sent { try await OptionalsProxy(over: $0).namedNulls(a: nil, b: 1) }
                == #"namedNulls {"a":null,"b":1}"#)
    }

    @Test func anOptionalBehindATypealiasIsLeftOut() async throws {
        #expect(try await sent { try await OptionalsProxy(over: $0).aliased(a: nil, b: 1) } == #"aliased {"b":1}"#)
    }

    @Test(arguments: [
        ([1, 2, 3], "[1,2,3]"), ([1, 2, nil], "[1,2]"), ([1, nil, nil], "[1]"), ([nil, nil, nil], "[]"),
        ([nil, 2, nil], "[null,2]"), ([nil, nil, 3], "[null,null,3]"),
    ])
    func nilByPositionKeepsThePlacesOfThoseBehindIt(arguments: [Int?], params: String) async throws {
        #expect(
            try await sent { try await OptionalsProxy(over: $0).placed(arguments[0], arguments[1], arguments[2]) }
                == "placed \(params)")
    }

    @Test func nilByPositionCanBeNullEverywhere() async throws {
        #expect(
            try await sent { try await OptionalsProxy(over: $0).placedNulls(nil, nil) } == "placedNulls [null,null]")
    }

    @Test func anExtensionGivesDefaultValues() async throws {
        #expect(
            try await sent { try await OptionalsProxy(over: $0).named(b: 4) } == #"named {"b":4,"c":"default"}"#)
    }
}
