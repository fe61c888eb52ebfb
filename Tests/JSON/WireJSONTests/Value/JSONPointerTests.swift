// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

@Suite("JSON pointers", .inTurn)
struct JSONPointerTests {
    /// Most are from RFC 6901 §5.
    static let pointers: [(String, [String])] = [
        ("", []), ("/", [""]), ("/foo", ["foo"]), ("/foo/0", ["foo", "0"]), ("/a~1b", ["a/b"]), ("/c%d", ["c%d"]),
        ("/i\\j", ["i\\j"]), ("/k\"l", ["k\"l"]), ("/ ", [" "]),
        ("/m~0n", ["m~n"]), ("/~01", ["~1"]), ("//", ["", ""]),
        ("/\u{301}/é", ["\u{301}", "é"]),
    ]

    @Test(arguments: pointers) func pointersAreReadAndWritten(text: String, tokens: [String]) throws {
        let pointer = try #require(JSONPointer(parsing: text))
        #expect(pointer.tokens == tokens)
        #expect(pointer == JSONPointer(tokens))
        #expect(pointer.description == text)
    }

    @Test(arguments: ["a", "#/a", "/~", "/~2", "/a~", " /a"]) func otherTextsAreNoPointers(text: String) {
        #expect(JSONPointer(parsing: text) == nil)
    }

    @Test func indexesHaveNoLeadingZeros() {
        for (token, index) in [("0", 0), ("7", 7), ("10", 10)] { #expect(JSONPointer.index(token) == index) }
        for token in ["", "-", "-1", "+1", "01", "00", "1.0", "١", "99999999999999999999"] {
            #expect(JSONPointer.index(token) == nil)
        }
    }
}
