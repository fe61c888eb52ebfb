// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing

@testable import jsonrpc

@Suite(.inTurn) struct JSONEscapesTests {
    private func format(_ text: String, forPeople: Bool) throws -> String {
        let formatter = JSONFormatter(style: .compact, escapesControls: forPeople)
        return String(decoding: formatter.format(try RawJSON(validating: text)), as: UTF8.self)
    }

    @Test(arguments: [
        (#""caf\u00e9""#, #""café""#), (#"{"\u00fc":"\uD83D\uDE00"}"#, #"{"ü":"😀"}"#), (#""\u4f8b\/\n""#, #""例\/\n""#),
    ])
    func peopleReadCharacters(_ text: String, _ expected: String) throws {
        #expect(try format(text, forPeople: true) == expected)
        #expect(try format(text, forPeople: false) == text)
        #expect(
            try RawJSON(validating: expected).decode(as: JSONValue.self)
                == RawJSON(validating: text).decode(as: JSONValue.self))
    }

    @Test(arguments: [
        #""\u0041\u0022\u005c""#, #""\u001b[2J\u009b""#, #""\u202e\u200b\ufeff\u00ad""#,
        #""\ud83d \ude00\ud83d\u0041""#, #""\\u00e9""#, #""\ue000""#,
    ])
    func escapesStayWhereACharacterCouldHarmOrIsInvisible(_ text: String) throws {
        #expect(try format(text, forPeople: true) == text)
    }

    @Test func aBackslashBeforeAnEscapeIsNotPartOfIt() throws {
        #expect(try format(#""\\\u00e9""#, forPeople: true) == #""\\é""#)
    }
}
