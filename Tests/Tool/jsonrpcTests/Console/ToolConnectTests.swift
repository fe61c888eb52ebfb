// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing

/// `connect` with lines from a pipe.
@Suite(.inTurn(within: .seconds(90))) struct ToolConnectTests {
    @Test func eachLineWaitsForTheAnswerToTheLineBefore() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(
                ["connect", url, "--compact"],
                input:
                    "# comment\nsubtract 42 23\n\nsleep 0.2\necho --params {\"a\": [1, 2]}\n:rule x 7\ncallback x [1]\nadd 1 2"
            )
            #expect(run.status == 0)
            #expect(run.output == "19\n0.2\n{\"a\":[1,2]}\n7\n3\n")
            #expect(run.diagnostics == "<- call x [1]\n-> result 7 by rule\n")
        }
    }

    @Test func theWorstLineDecidesTheStatus() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(
                ["connect", url], input: "fail 5 no\nadd 1 2\n:timeout 50ms\nsleep 30\n:timeout 60\nadd 3 4\n")
            #expect(run.status == 4)
            #expect(run.output == "3\n7\n")
            #expect(run.diagnostics.hasPrefix("{\"code\":5,\"message\":\"no\"}\njsonrpc: Line 4: "))
            #expect(run.diagnostics.hasSuffix(" Raise :timeout to wait longer.\n"))
            let invalid = try await ToolRun.run(["connect", url], input: ":bogus\nadd 1 [\nadd 1 2\n:quit\nadd 9 9\n")
            #expect(invalid.status == 2)
            #expect(invalid.output == "3\n")
            #expect(invalid.diagnostics.contains("jsonrpc: Line 1: Unknown command ':bogus'."))
            #expect(invalid.diagnostics.contains("jsonrpc: Line 2: A JSON value has no end: [."))
        }
    }

    @Test func callsOfThePeerWithoutARuleAreRefused() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(
                ["connect", url, "--answer", "known=1", "--compact"], input: "callback known\ncallback unknown\n")
            #expect(run.status == 1)
            #expect(run.output == "1\n")
            #expect(run.diagnostics.contains("<- call unknown\n-> refused with an error object\n"))
            #expect(run.diagnostics.contains("-32601"))
        }
    }

    @Test func methodsAreListedAndMessagesShown() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(
                ["connect", url],
                input: ":methods SUB\n:methods zzz\n:pending\n:rules\n:help\n:raw on\nadd 1\n:raw off\nadd 2\n")
            #expect(run.status == 0)
            #expect(run.output.hasPrefix("subtract(minuend: number, subtrahend: number) -> number"))
            #expect(run.output.contains("\ntick.unsubscribe(subscription: integer) -> boolean"))
            #expect(run.output.contains("\nNo method contains 'zzz'.\nNo calls are in flight.\nThere are no rules."))
            #expect(run.output.hasSuffix("1\n2\n"))
            #expect(run.diagnostics.contains("--> ") && run.diagnostics.contains("<-- "))
            #expect(!run.diagnostics.contains("[2]"))
        }
    }

    @Test func aPeerThatClosesEndsTheScript() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            _ = try socket.readFrame()
            try socket.send(RawFrame(RawFrame.Opcode.close, [0x03, 0xE9]))
            _ = try? socket.readToEnd()
        }
        let run = try await ToolRun.run(["connect", peer.url], input: "add 1\nadd 2\n")
        #expect(run.status == 5)
        #expect(run.output == "")
        #expect(run.diagnostics.hasPrefix("jsonrpc: "))
        #expect(run.diagnostics.split(separator: "\n").count == 1)
        _ = try await peer.outcome()
    }

    @Test func aPeerThatClosesWhileTheScriptWaitsEndsIt() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            try socket.send(ToolScripts.text(#"{"jsonrpc":"2.0","method":"bye\u001b","params":["\u001b[2J"]}"#))
            try socket.send(RawFrame(RawFrame.Opcode.close, [0x03, 0xE9]))
            _ = try? socket.readToEnd()
        }
        // Standard input stays open.
        let tool = try PeerProcess(ToolRun.program, ["connect", peer.url])
        let lines = [
            try await tool.line(containing: "bye"), try await tool.line(containing: "jsonrpc: "),
        ]
        #expect(lines == [#"<- bye\x1b ["\u001b[2J"]"#, "jsonrpc: The peer closed the connection with code 1001."])
        #expect(try await tool.exitStatus() == 5)
        _ = try await peer.outcome()
    }

    @Test func httpIsRefusedWithTheCommandForIt() async throws {
        let run = try await ToolRun.run(["connect", "http://127.0.0.1:1/"])
        #expect(run.status == 2)
        #expect(run.diagnostics.contains("connect needs a WebSocket") && run.diagnostics.contains("'jsonrpc call'"))
    }
}
