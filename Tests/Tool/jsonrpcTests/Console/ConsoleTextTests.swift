// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing
import ToolSupport

@testable import jsonrpc

@Suite(.inTurn) struct ConsoleTextTests {
    private let text = ConsoleText(formatter: JSONFormatter(style: .pretty, escapesControls: true))

    private func json(_ text: String) throws -> RawJSON { try RawJSON(validating: text) }

    @Test func shortResultsAreOnOneLine() throws {
        #expect(text.result(try json("19"), ofCall: 1, after: .microseconds(820)) == "[1] 19  (0.82 ms)")
        #expect(text.result(try json(#"{"a": 1}"#), ofCall: 2, after: .seconds(2)) == #"[2] {"a":1}  (2.00 s)"#)
        let long = try json("[\"\(String(repeating: "x", count: 80))\"]")
        #expect(text.result(long, ofCall: 3, after: .milliseconds(12)).hasPrefix("[3] (12.0 ms)\n[\n  \"xx"))
    }

    @Test func failuresTellWhatIsKnown() {
        let object = ErrorObject(code: .methodNotFound, message: "no \u{9B}1m such")
        #expect(
            text.failure(CallFailure(object), ofCall: 1, after: .milliseconds(1))
                == #"[1] error {"code":-32601,"message":"no \u009b1m such"}  (1.00 ms)"#)
        let lost = CallFailure(kind: .lost, delivery: .notSent, message: "The connection was lost.\u{1B}")
        #expect(text.failure(lost, ofCall: 2, after: .zero) == #"[2] The connection was lost.\x1b"#)
    }

    @Test func callsOfThePeerAreSafeForTheTerminal() throws {
        let params = try json("[\"\\u001b[2J\", \"\u{9B}\"]")
        #expect(
            text.peerCall("a\u{1B}]0;x\u{7}", params, .hand(3)).hasPrefix(
                #"<- call #3 a\x1b]0;x\x07 ["\u001b[2J","\u009b"]"#))
        #expect(text.peerCall("a\nb", nil, .rule(try json("1"))) == "<- call a b\n-> result 1 by rule")
        #expect(text.peerCall("a", nil, .refused) == "<- call a\n-> refused with an error object")
        let long = String(repeating: "m", count: 1000)
        #expect(text.waiting(1, long, nil).count < 300)
    }

    @Test(arguments: [
        ("ws://127.0.0.1:6800/jsonrpc", "127.0.0.1:6800> "), ("127.0.0.1:80/x", "127.0.0.1:80> "),
        ("wss://me:secret@host/p?token=x", "host> "), ("ws://[::1]:8080", "[::1]:8080> "),
        ("ws+unix:/run/a.sock", "a.sock> "), ("ws+unix:///run/a.sock:/path", "a.sock> "),
        ("ws://h\u{1B}x/", "h\\x1bx> "),
    ])
    func thePromptNamesThePeerWithoutSecrets(_ url: String, _ prompt: String) {
        #expect(ConsoleText.prompt(url) == prompt)
    }

    @Test(arguments: [
        (Duration.zero, "0.00 ms"), (.microseconds(5), "0.01 ms"), (.milliseconds(15), "15.0 ms"),
        (.milliseconds(999), "999 ms"), (.milliseconds(1250), "1.25 s"), (.seconds(3600), "3600 s"),
        (.seconds(-1), "0.00 ms"),
    ])
    func timesHaveAFewDigits(_ time: Duration, _ text: String) {
        #expect(ConsoleText.time(time) == text)
    }
}
