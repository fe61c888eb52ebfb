// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
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
}
