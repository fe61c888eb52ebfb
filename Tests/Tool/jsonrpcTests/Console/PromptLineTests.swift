// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing
import ToolSupport

@testable import jsonrpc

@Suite(.inTurn) struct PromptLineTests {
    @Test(arguments: [
        ("", []), ("  \t", []), ("ping", ["ping"]), (" a  b\tc ", ["a", "b", "c"]),
        (#"m {"a": [1, 2], "b": "} ] \" x"} 5"#, ["m", #"{"a": [1, 2], "b": "} ] \" x"}"#, "5"]),
        (#"m "two words" 'it "is"' [ 1 , 2 ]"#, ["m", #""two words""#, #"it "is""#, "[ 1 , 2 ]"]),
        (
            #"m name={"a": 1} text="x y" http://h/?a=[b c"#,
            ["m", #"name={"a": 1}"#, #"text="x y""#, "http://h/?a=[b", "c"]
        ),
        ("m it\"s 'a b'c ''", ["m", "it\"s", "a bc", ""]), ("größe ä=ö", ["größe", "ä=ö"]),
    ])
    func blanksSeparateWordsOutsideJSONAndQuotes(_ line: String, _ words: [String]) throws {
        #expect(try LineWords.split(line) == words)
    }

    @Test(arguments: ["m {\"a\": 1", "m [1, 2", "m \"x", "m a=[", "m 'x", "m {\"a\\\"}", "m [}"])
    func aJSONValueOrQuoteWithoutAnEndIsRefused(_ line: String) {
        #expect(throws: UsageError.self) { _ = try PromptLine.parse(line) }
    }

    @Test(arguments: [
        ("ping", nil), ("subtract 42 23", "[42,23]"), ("subtract a=1 b=x", #"{"a":1,"b":"x"}"#),
        ("subtract --params [42, 23]", "[42, 23]"), (#"init --params {"a": {"b": null}}"#, #"{"a": {"b": null}}"#),
        (#"addUri ["http://h"]"#, #"[["http://h"]]"#), (#"init {"a": 1}"#, #"[{"a": 1}]"#),
        ("sum [1,2] 3", "[[1,2],3]"), ("shift -1", "[-1]"), (#"say "42""#, #"["42"]"#), ("say 'a b'", #"["a b"]"#),
    ])
    func aLineIsACall(_ line: String, _ params: String?) throws {
        let method = String(line.prefix { $0 != " " })
        #expect(try PromptLine.parse(line) == .call(method: method, params: params.map { try RawJSON(validating: $0) }))
    }

    @Test func colonsBeginCommands() throws {
        let one = try RawJSON(validating: "1")
        let failure = ErrorObject(code: ErrorObject.Code(rawValue: -5), message: "not now", data: one)
        for (line, expected) in [
            (":call :odd 1", .call(method: ":odd", params: try RawJSON(validating: "[1]"))),
            (":notify log a=1", .notify(method: "log", params: try RawJSON(validating: #"{"a":1}"#))),
            (":answer 3 1", .answer(3, one)), (":answer #3 1", .answer(3, one)),
            (#":error 3 -5 "not now" 1"#, .error(3, failure)), (":error 3 -5 'not now' 1", .error(3, failure)),
            (":rule confirm 1", .rule(method: "confirm", one)), (":forget confirm", .forget(method: "confirm")),
            (":rules", .rules), (":pending", .pending), (":cancel 7", .cancel(7)),
            (":methods", .methods(containing: "")),
            (":methods tick", .methods(containing: "tick")), (":raw on", .raw(true)), (":raw off", .raw(false)),
            (":timeout 250ms", .timeout(TimeLimitOption(duration: .milliseconds(250)))),
            (":timeout none", .timeout(TimeLimitOption(duration: nil))), (":help", .help), (" :quit ", .quit),
        ] as [(String, PromptLine)] {
            #expect(try PromptLine.parse(line) == expected, "\(line)")
        }
        #expect(try PromptLine.parse("  ") == nil)
        #expect(try PromptLine.parse("# a comment") == nil)
    }

    @Test(arguments: [
        (":answr 1 2", "Did you mean ':answer'?"), (":bogus", "Unknown command ':bogus'."),
        (":answer x 1", "'x' is not the number of a call."), (":answer 1", "Usage: :answer N JSON"),
        (":answer 99999999999999999999 1", "is not the number"), (":answer 1 2 3", "Usage: :answer N JSON"),
        (":error 1 2", "Usage: :error N CODE MESSAGE [DATA]"), (":error 1 x y", "an integer, not 'x'"),
        (":raw", "Usage: :raw on|off"), (":timeout soon", "Usage: :timeout TIME|none"), (":quit now", "Usage: :quit"),
        (":notify", "Usage: :notify METHOD [PARAM…]"), ("m a=1 2", "Cannot mix params"),
        ("m --params", "--params needs one value"), ("m --params [1] 2", "and no other params"),
        ("m --params 1", "must be a JSON array or object"), ("m --params -", "reads standard input"),
        (":rule x {1}", "as JSON"),
    ])
    func anInvalidLineNamesTheFault(_ line: String, _ text: String) {
        #expect { _ = try PromptLine.parse(line) } throws: { "\($0)".contains(text) }
    }

    @Test func theHelpListsEachCommand() {
        for command in PromptCommand.allCases { #expect(PromptCommand.helpText.contains("  :\(command.rawValue) ")) }
        #expect(PromptCommand.helpText.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }
}
