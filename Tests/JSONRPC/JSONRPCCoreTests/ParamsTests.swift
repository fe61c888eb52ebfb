// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct ParamsTests {
    @Test func positionsKeepTheirOrderAndTypes() throws {
        #expect(try RawJSON(encoding: ByPosition(42, "a", true, [1.5])).text == #"[42,"a",true,[1.5]]"#)
        #expect(try RawJSON(encoding: ByPosition()).text == "[]")
    }

    @Test func nilKeepsItsPlace() throws {
        #expect(try RawJSON(encoding: ByPosition(1, nil as String?, 3)).text == "[1,null,3]")
    }

    @Test func namesAreMembers() throws {
        let params: ByName = ["subtrahend": 23, "minuend": 42, "note": "x"]
        let expected = try JSONValue(RawJSON(validating: #"{"subtrahend":23,"minuend":42,"note":"x"}"#))
        #expect(try JSONValue(RawJSON(encoding: params)) == expected)
        #expect(try RawJSON(encoding: ByName()).text == "{}")
    }

    @Test func nameGivenTwiceCountsOnce() throws {
        var params: ByName = ["a": 1, "a": 2]
        #expect(params.names == ["a"])
        #expect(try RawJSON(encoding: params).text == #"{"a":2}"#)
        params["a"] = nil
        #expect(params.names.isEmpty)
    }

    @Test(arguments: [("[]", true), ("{}", true), ("1", false), ("\"[\"", false), ("null", false), ("true", false)])
    func onlyArraysAndObjectsAreStructured(text: String, isStructured: Bool) throws {
        #expect(try RawJSON(validating: text).isStructured == isStructured)
    }
}
