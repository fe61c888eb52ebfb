// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct RequestIDTests {
    @Test func numberAndStringWithTheSameTextDiffer() {
        #expect(RequestID.number(1) != .string("1"))
        #expect(Set<RequestID>([1, "1", 1]).count == 2)
    }

    @Test(arguments: [
        (RequestID.number(7), "7"), (.number(-7), "-7"), (.number(0), "0"), (.number(.min), "-9223372036854775808"),
        (.number(.max), "9223372036854775807"), (.string("7"), #""7""#),
        (.string("a\"\\\n\u{1}é"), #""a\"\\\n\u0001é""#),
    ])
    func descriptionIsTheJSONText(id: RequestID, text: String) {
        #expect(id.description == text)
    }

    @Test(arguments: [
        (RequestID.number(7), RequestID.string("7")), ("7", 7), ("-7", -7), ("07", nil), ("+7", nil), ("7.0", nil),
        ("", nil), ("x", nil), ("9223372036854775808", nil), (.number(.min), "-9223372036854775808"),
    ])
    func counterpartHasTheSameTextAndTheOtherType(id: RequestID, counterpart: RequestID?) {
        #expect(id.counterpart == counterpart)
    }

    @Test(arguments: [RequestID.number(.min), 0, .number(.max), "", "x", "1", "\u{1F600}"])
    func codingGivesTheSameIDBack(id: RequestID) throws {
        #expect(try RawJSON(encoding: id).decode(as: RequestID.self) == id)
    }

    @Test(arguments: ["null", "1.5", "true", "[]", "{}", "9223372036854775808"])
    func invalidIDsAreNotDecoded(text: String) throws {
        let json = try RawJSON(validating: text)
        #expect(throws: DecodingError.self) { try json.decode(as: RequestID.self) }
    }
}
