// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

/// A single request on the wire, made by a factory.
@Suite(.inTurn) struct JSONRPCRequestTests {
    private func text(_ request: some JSONRPCRequest) throws -> String {
        String(decoding: try BatchFactory().create(request).bytes, as: UTF8.self)
    }

    @Test func paramsByPosition() throws {
        #expect(
            try text(Subtract(minuend: 42, subtrahend: 23))
                == #"{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}"#)
        #expect(
            try text(Dynamic(params: ByPosition(1, "a", true)))
                == #"{"jsonrpc":"2.0","id":1,"method":"dynamic","params":[1,"a",true]}"#)
    }

    @Test func paramsByName() throws {
        #expect(
            try text(SubtractByName(params: .init(subtrahend: 23, minuend: 42)))
                == #"{"jsonrpc":"2.0","id":1,"method":"subtract","params":{"subtrahend":23,"minuend":42}}"#)
        #expect(
            try text(Dynamic(params: ["a": 1] as ByName))
                == #"{"jsonrpc":"2.0","id":1,"method":"dynamic","params":{"a":1}}"#)
    }

    @Test func requestWithoutParamsHasNoSuchMember() throws {
        #expect(try text(GetData()) == #"{"jsonrpc":"2.0","id":1,"method":"get_data"}"#)
        #expect(try text(Dynamic(params: NoParams())) == #"{"jsonrpc":"2.0","id":1,"method":"dynamic"}"#)
    }

    @Test func optionalParamsThatAreNilAreLeftOut() throws {
        #expect(try text(Search(params: nil)) == #"{"jsonrpc":"2.0","id":1,"method":"search"}"#)
        #expect(
            try text(Search(params: ["limit": 3]))
                == #"{"jsonrpc":"2.0","id":1,"method":"search","params":{"limit":3}}"#)
        #expect(try text(Dynamic(params: JSONValue.null)) == #"{"jsonrpc":"2.0","id":1,"method":"dynamic"}"#)
    }

    @Test("JP nil argument: by position it is null and keeps its place, by name it is left out")
    func nilArguments() throws {
        struct Named: Encodable, Sendable {
            var first: Int?
            var second = 2
        }
        #expect(
            try text(Dynamic(params: ByPosition(1, Int?.none, "c")))
                == #"{"jsonrpc":"2.0","id":1,"method":"dynamic","params":[1,null,"c"]}"#)
        #expect(
            try text(Dynamic(params: Named()))
                == #"{"jsonrpc":"2.0","id":1,"method":"dynamic","params":{"second":2}}"#)
    }

    @Test("K3, K1: a request may make its response by hand, by whatever rule")
    func responseByHand() throws {
        let batch = try BatchFactory().create(CountOfMembers())
        let answer = #"{"jsonrpc":"2.0","id":1,"result":{"a":1,"b":2}}"#
        #expect(try batch.responses(from: Array(answer.utf8)) == 2)
    }

    @Test func paramsAsJSONValues() throws {
        #expect(
            try text(Dynamic(params: ["a": [1, nil]] as JSONValue))
                == #"{"jsonrpc":"2.0","id":1,"method":"dynamic","params":{"a":[1,null]}}"#)
        #expect(
            try text(Dynamic(params: [1, "b", nil] as [JSONValue]))
                == #"{"jsonrpc":"2.0","id":1,"method":"dynamic","params":[1,"b",null]}"#)
    }

    @Test(arguments: [7, "text", true, 1.5] as [JSONValue])
    func paramsThatAreNoStructureAreRefused(params: JSONValue) throws {
        let factory = BatchFactory()
        let error = try #require(throws: ClientError.self) { try factory.create(Dynamic(params: params)) }
        #expect(error.code == .encodingFailed)
        #expect(error.delivery == .notSent)
        #expect(error.method == "dynamic")
        #expect(error.message.contains("`dynamic` encode as neither an array nor an object"))
        #expect(try factory.create(GetData()).ids == [1])
    }

    @Test func paramsThatCannotBeEncodedAreRefused() throws {
        let error = try #require(throws: ClientError.self) {
            try BatchFactory().create(Dynamic(params: [Double.infinity]))
        }
        #expect(error.code == .encodingFailed)
        #expect(error.cause is EncodingError)
    }

    @Test("K3, K1: a notification has no id, and no params unless given")
    func notification() throws {
        #expect(Log.isNotification)
        #expect(MethodNotification<NoParams>.isNotification)
        #expect(!Subtract.isNotification)
        #expect(try text(Log("x")) == #"{"jsonrpc":"2.0","method":"log","params":["x"]}"#)
        #expect(try text(MethodNotification("ping")) == #"{"jsonrpc":"2.0","method":"ping"}"#)
    }

    @Test func aCallWithoutAResponseIsACallWhoseResultIsIgnored() throws {
        struct Stop: JSONRPCRequest {
            typealias Response = Void
            var method: String { "stop" }
        }
        #expect(!Stop.isNotification)
        let batch = try BatchFactory().create(Stop())
        #expect(batch.expectsResponse)
        #expect(try text(Stop()) == #"{"jsonrpc":"2.0","id":1,"method":"stop"}"#)
        try batch.responses(from: ["jsonrpc": "2.0", "id": 1, "result": ["what": "ever"]])
        let refused: JSONValue = ["jsonrpc": "2.0", "id": 1, "error": ["code": 5, "message": "no"]]
        #expect(throws: CallError.answered(ErrorObject(code: 5, message: "no"))) {
            try batch.responses(from: refused)
        }
        let missing = try #require(batch.results(from: [] as [UInt8]).failure?.clientError)
        #expect(missing.code == .missingResponse)
    }

    @Test(arguments: ["null", "[]", "{}", " [ ] "])
    func noParamsAreReadFromWhatStandsForNone(text: String) throws {
        #expect(try RawJSON(validating: text).decode(as: NoParams.self) == NoParams())
        #expect(try FoundationCoder().decode(NoParams.self, from: RawJSON(validating: text)) == NoParams())
    }

    @Test(arguments: ["[1]", #"{"a":1}"#, "1", #""""#])
    func noParamsAreNotReadFromAnythingElse(text: String) throws {
        #expect(throws: DecodingError.self) { try RawJSON(validating: text).decode(as: NoParams.self) }
        #expect(throws: DecodingError.self) {
            try FoundationCoder().decode(NoParams.self, from: RawJSON(validating: text))
        }
    }

    @Test("K3: extension members stand next to params, and cannot replace JSON-RPC's own")
    func extraMembers() throws {
        var members = ExtraMembers()
        try members.set("exkey", to: RawJSON(encoding: "exvalue"))
        #expect(
            try text(MethodCall("m", params: ["k": "v"], extraMembers: members))
                == #"{"jsonrpc":"2.0","id":1,"method":"m","params":{"k":"v"},"exkey":"exvalue"}"#)
        for name in ["id", "method", "jsonrpc"] {
            #expect(throws: ExtraMembers.ReservedName.self) { try members.set(name, to: .null) }
        }
    }

    @Test func methodCallTakesItsResponseFromTheContext() throws {
        let batch = try BatchFactory().create(
            MethodCall("a", params: [1], as: Int.self), MethodCall("b"), MethodCall("c", as: RawJSON.self))
        let answer: JSONValue = [
            ["jsonrpc": "2.0", "id": 3, "result": ["any", "thing"]], ["jsonrpc": "2.0", "id": 1, "result": 5],
            ["jsonrpc": "2.0", "id": 2, "result": nil],
        ]
        let (first, second, third) = try batch.responses(from: answer)
        #expect(first == 5)
        #expect(second == .null)
        #expect(third.text == #"["any","thing"]"#)
    }
}
