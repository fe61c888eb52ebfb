// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing

@testable import jsonrpc

@Suite(.inTurn) struct CompletionTests {
    private let methods = ["add", "tick.subscribe", "tick.unsubscribe", "subtract"]

    @Test(arguments: [
        ("su", "btract "), ("subtract", " "), ("t", "ick."), ("x", ""), ("add 1", ""), (":he", "lp "),
        (":notify su", "btract "), (":call a", "dd "), (":raw of", "f "), (":answer 1 a", ""), ("  su", "btract "),
    ])
    func theWordAtTheCursorIsCompleted(_ line: String, _ insertion: String) {
        #expect(Completion.complete(line, methods: methods).insertion == insertion)
    }

    @Test func severalWordsAreCandidates() {
        #expect(Completion.complete("tick.", methods: methods).candidates == ["tick.subscribe", "tick.unsubscribe"])
        #expect(Completion.complete(":r", methods: methods).candidates == [":raw", ":rule", ":rules"])
        #expect(Completion.complete("", methods: methods).candidates == methods.sorted())
        #expect(Completion.complete("", methods: []) == Completion())
    }

    @Test func candidatesAreListedInColumns() {
        #expect(Completion.list(["a", "bb", "c"], columns: 8) == ["a   bb", "c"])
        #expect(Completion.list(["a", "bb"], columns: 1) == ["a", "bb"])
        #expect(Completion.list(["a", "b", "c"], columns: 80, maximumCount: 2) == ["a  b", "… and 1 more"])
        #expect(Completion.list([], columns: 80) == [])
    }

    @Test(arguments: [
        (#"{"methods":[{"name":"a"},{"name":"b.c"},{"name":"a"}]}"#, ["a", "b.c"]),
        (#"{"methods":[5,{"name":7},{"name":"ok"},null,{"nome":"x"},["y"]]}"#, ["ok"]),
        (
            #"{"methods":[{"name":"esc\u001b[2J"},{"name":"\u009b1m"},{"name":"two words"},{"name":""},{"name":"\u202ex"}]}"#,
            []
        ),
        (##"{"methods":[{"name":":quit"},{"name":"#x"},{"name":"it's"},{"name":"{"},{"name":"größe"}]}"##, ["größe"]),
        (#"{"methods":[{"name":"\ud800"},{"name":"after"}]}"#, ["after"]),
        (#"{"methods":{"name":"x"}}"#, []), ("[]", []), ("null", []), ("{}", []), (#""x""#, []),
    ])
    func aDocumentGivesItsUsableNames(_ document: String, _ names: [String]) throws {
        #expect(MethodNames.read(try RawJSON(validating: document)) == names)
    }

    @Test func aHugeDocumentIsBounded() throws {
        let many = (0..<6000).map { #"{"name":"m\#($0)"}"# }.joined(separator: ",")
        #expect(MethodNames.read(try RawJSON(validating: #"{"methods":[\#(many)]}"#)).count == 4096)
        let long = String(repeating: "x", count: 129)
        #expect(MethodNames.read(try RawJSON(validating: #"{"methods":[{"name":"\#(long)"}]}"#)) == [])
        let blanks = String(repeating: " ", count: 4 << 20)
        #expect(MethodNames.read(try RawJSON(validating: #"{"methods":[{"name":"x"}]\#(blanks)}"#)) == [])
    }

    @Test func methodsOfTheHistoryStandInForADocument() {
        let known = KnownMethods(history: ["add 1 2", ":help", "add 3", "\u{1B}x", "subtract"])
        #expect(known.names == ["add", "subtract"])
    }
}
