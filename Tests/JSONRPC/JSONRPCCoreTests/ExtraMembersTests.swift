// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct ExtraMembersTests {
    @Test func membersAreWrittenInTheOrderInWhichTheyWereSet() throws {
        var extra = ExtraMembers()
        try extra.set("sessionId", to: RawJSON(encoding: "x"))
        try extra.set("a\"b", to: RawJSON(encoding: 1))
        try extra.set("sessionId", to: RawJSON(encoding: "y"))
        #expect(String(decoding: extra.bytes, as: UTF8.self) == #","sessionId":"y","a\"b":1"#)
        #expect(extra.names == ["sessionId", "a\"b"])
        #expect(extra["sessionId"]?.text == #""y""#)
        #expect(extra["nothing"] == nil)
    }

    @Test func settingNilRemoves() throws {
        var extra = ExtraMembers()
        try extra.set("a", to: .null)
        try extra.set("a", to: nil)
        try extra.set("b", to: nil)
        #expect(extra == ExtraMembers())
        #expect(extra.isEmpty && extra.bytes.isEmpty)
    }

    @Test(arguments: ["jsonrpc", "id", "method", "params", "result", "error"])
    func membersOfJSONRPCCannotBeSet(name: String) throws {
        var extra = ExtraMembers()
        try extra.set("auth", to: .null)
        let before = extra
        #expect(throws: ExtraMembers.ReservedName(name: name)) { try extra.set(name, to: .null) }
        #expect(extra == before)
    }

    @Test func thoseOfAMessageAreAllButTheMembersOfJSONRPC() throws {
        let message = try RawJSON(
            validating:
                #"{"jsonrpc":"2.0","sessionId":1,"method":"m","a\u0062":[2],"params":[],"sessionId":3,"\ud800":4}"#)
        let extra = ExtraMembers(of: message)
        #expect(extra.names == ["sessionId", "ab"])
        #expect(extra["sessionId"]?.text == "3")
        #expect(extra["ab"]?.text == "[2]")
        #expect(ExtraMembers(of: try RawJSON(validating: #"{"method":"m"}"#)).isEmpty)
    }

    @Test func mergingPrefersTheOthersValue() throws {
        var left = ExtraMembers()
        try left.set("a", to: RawJSON(encoding: 1))
        try left.set("b", to: RawJSON(encoding: 2))
        var right = ExtraMembers()
        try right.set("c", to: RawJSON(encoding: 3))
        try right.set("a", to: RawJSON(encoding: 4))
        #expect(String(decoding: left.merging(right).bytes, as: UTF8.self) == #","a":4,"b":2,"c":3"#)
        #expect(left.merging(ExtraMembers()) == left)
        #expect(ExtraMembers().merging(left) == left)
    }

    @Test func descriptionKeepsValuesOut() throws {
        var extra = ExtraMembers()
        try extra.set("auth", to: RawJSON(encoding: "secret"))
        #expect(extra.description == "auth")
    }

    @Test func literalsTakeNamesAndValuesOfAnyKind() throws {
        let (token, count) = ("abc", 7)
        let extra: ExtraMembers = [
            "sessionId": "abc", "token": JSONValue(token), "greeting": "hi \(token)", "count": JSONValue(count),
            "list": [1, "x", nil], "sessionId": "last",
        ]
        #expect(
            String(decoding: extra.bytes, as: UTF8.self)
                == #","sessionId":"last","token":"abc","greeting":"hi abc","count":7,"list":[1,"x",null]"#)
        let none: ExtraMembers = [:]
        #expect(none.isEmpty)
        #expect(try BatchFactory().create(MethodCall("m", extraMembers: ["auth": "x"])).requestObject["auth"] == "x")
    }

    @Test func valuesAreSetAsJSONValuesAndNilStillRemoves() throws {
        var extra: ExtraMembers = ["a": 1]
        try extra.set("a", to: ["x": 1])
        #expect(extra["a"]?.text == #"{"x":1}"#)
        try extra.set("b", to: .null)
        #expect(extra["b"] == .null)
        try extra.set("b", to: nil)
        #expect(extra.names == ["a"])
    }

    @Test func membersOfAnObjectAreTakenUnlessOneIsReserved() throws {
        #expect(try ExtraMembers(["b": 1, "a": nil]).names == ["b", "a"])
        #expect(throws: ExtraMembers.ReservedName(name: "id")) { try ExtraMembers(["a": 1, "id": 2]) }
    }

    @Test(.startsProcess) func aReservedNameInALiteralIsTheProgrammersError() async {
        await #expect(processExitsWith: .failure) {
            let extra: ExtraMembers = ["id": 1]
            print(extra)
        }
    }

    /// A computed name may come from a peer, and must not be able to end the process.
    @Test func namesInLiteralsAreLiteralsThemselves() async throws {
        let program = """
            import JSONRPCCore
            import WireJSON
            func f(_ name: String) -> ExtraMembers { [name: 1] }
            func g(_ name: String) -> ExtraMembers { ["x\\(name)": 1] }
            """
        let complaints = try await compilerComplaints(about: ["Program.swift": program])
        #expect(Set(complaints.map(\.line)) == [3, 4], "\(complaints)")
    }
}
