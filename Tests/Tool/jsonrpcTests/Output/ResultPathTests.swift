// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing

@testable import jsonrpc

/// The paths of `--get`.
@Suite(.inTurn) struct ResultPathTests {
    @Test(
        arguments: [
            (".version", [.member("version")]), (".a.b-c.größe", [.member("a"), .member("b-c"), .member("größe")]),
            (".items[0].name", [.member("items"), .element(0), .member("name")]),
            ("[12][3]", [.element(12), .element(3)]), (#"["any name"]"#, [.member("any name")]),
            (#".["a.b"].["c[0]"].[1]"#, [.member("a.b"), .member("c[0]"), .element(1)]),
            (#"["\u0061\"]\\"]"#, [.member(#"a"]\"#)]), (#"[""]"#, [.member("")]), (".0", [.member("0")]),
            (".a]b", [.member("a]b")]),
        ] as [(String, [ResultPath.Step])])
    func aPathIsAListOfSteps(_ text: String, _ steps: [ResultPath.Step]) throws {
        #expect(try ResultPath(parsing: text).steps == steps)
    }

    @Test(arguments: [
        ("", 1), ("version", 1), (".", 1), ("..a", 1), (".a.", 3), (".a..b", 3), ("[", 1), ("[]", 1), ("[-1]", 1),
        ("[a]", 1), ("[0", 1), (".größe[0]x", 10), (#"["a]"#, 1), (#"["a" ]"#, 1), (#"["\x"]"#, 1), (#"["\ud800"]"#, 1),
        ("[99999999999999999999]", 1), ("[1.5]", 1), ("$.a", 1),
    ])
    func anythingElseIsRefused(_ text: String, _ character: Int) {
        #expect {
            _ = try ResultPath(parsing: text)
        } throws: {
            "\($0)".contains("from character \(character) on")
        }
    }

    private static let result =
        #"{"version":"1.37.0","n":1.50,"items":[{"name":"a"},{"name":"b"}],"a b":{},"twice":1,"twice":2,"none":[]}"#

    @Test(arguments: [
        (".version", #""1.37.0""#), (".n", "1.50"), (".items[1].name", #""b""#), (#"["a b"]"#, "{}"), (".twice", "2"),
        (".items", #"[{"name":"a"},{"name":"b"}]"#),
    ])
    func thePartKeepsItsBytes(_ path: String, _ part: String) throws {
        #expect(try ResultPath(parsing: path).value(in: RawJSON(validating: Self.result)).text == part)
    }

    @Test(arguments: [
        (".items[2]", "The result has no .items[2]: .items is an array of 2 elements."),
        (".items[0].nme", "The result has no .items[0].nme: .items[0] is an object with .name."),
        (".version.x", "The result has no .version.x: .version is a string."),
        (".n[0]", "The result has no .n[0]: .n is a number."),
        (#"["a b"].c"#, #"The result has no ["a b"].c: ["a b"] is an empty object."#),
        (".none[0]", "The result has no .none[0]: .none is an empty array."),
        (
            "[0]",
            "The result has no [0]: the result is an object with .version, .n, .items, "
                + #"["a b"], .twice, .twice, .none."#
        ),
    ])
    func absentValuesAreNamed(_ path: String, _ message: String) throws {
        let path = try ResultPath(parsing: path)
        #expect(throws: AbsentValue(message)) { try path.value(in: RawJSON(validating: Self.result)) }
    }

    @Test func manyAndLongNamesAreCut() throws {
        let names = (1...3000).map { #""\u001b\#($0)\#(String(repeating: "x", count: 500))":null"# }
        let result = try RawJSON(validating: "{\(names.joined(separator: ","))}")
        #expect {
            _ = try ResultPath(parsing: ".a").value(in: result)
        } throws: {
            let message = "\($0)"
            return message.hasSuffix(" and 2992 more.") && message.count < 1000 && !message.contains("\u{1B}")
        }
    }
}
