// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

/// `batch` from end to end.
@Suite(.inTurn(within: .seconds(60))) struct ToolBatchTests {
    @Test func batchEndsWhenTheConnectionIsLostWhileItsInputStaysOpen() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            socket.close()
        }
        // Its standard input is a pipe without input that stays open.
        let batch = try PeerProcess(ToolRun.program, ["batch", peer.url])
        #expect(try await batch.exitStatus() == 5)
        _ = try await batch.line(containing: "Standard input")
        let lines = batch.log.split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("jsonrpc: The connection was lost.") == true)
        #expect(lines.first?.hasSuffix(" Standard input from line 1 on was not read.") == true)
        _ = try await peer.outcome()
    }

    @Test func batchEndsWhenThePeerClosesWhileItsInputStaysOpen() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            try socket.send(RawFrame.close(1001, "going\u{9B}31m away"))
            _ = try? socket.readToEnd()
        }
        let batch = try PeerProcess(ToolRun.program, ["batch", peer.url])
        #expect(try await batch.exitStatus() == 5)
        _ = try await batch.line(containing: "Standard input")
        #expect(
            batch.log.split(separator: "\n") == [
                #"jsonrpc: The peer closed the connection with code 1001 (going\u009b31m away)."#
                    + " Standard input from line 1 on was not read."
            ])
        _ = try await peer.outcome()
    }

    @Test func linesMayCarryExtraMembers() async throws {
        let peer = try ToolScripts.peer(reading: 2, sending: #"{"jsonrpc":"2.0","id":1,"result":1}"#)
        let run = try await ToolRun.run(
            ["batch", peer.url, "--extra", "all=1"],
            input: """
                {"method":"m","sessionId":"s","auth":{"t":[1]}}
                {"method":"n","notification":true,"sessionId":2}
                """)
        #expect(run.status == 0)
        #expect(
            try await peer.outcome() == [
                #"{"jsonrpc":"2.0","id":1,"method":"m","all":1,"sessionId":"s","auth":{"t":[1]}}"#,
                #"{"jsonrpc":"2.0","method":"n","all":1,"sessionId":2}"#,
            ])
    }

    @Test func arraysCarryExtraMembersToo() async throws {
        let peer = try ToolScripts.peer(sending: #"[{"jsonrpc":"2.0","id":1,"result":1}]"#)
        let run = try await ToolRun.run(
            ["batch", peer.url, "--as-batch", "2"], input: #"{"method":"m","sessionId":"s"}"#)
        #expect(run.status == 0)
        #expect(try await peer.outcome() == [#"[{"jsonrpc":"2.0","id":1,"method":"m","sessionId":"s"}]"#])
    }

    @Test func notificationsArePrintedWhereAskedFor() async throws {
        let tick = #"{"jsonrpc":"2.0","method":"tick","params":[1]}"#
        let answer = #"{"jsonrpc":"2.0","id":1,"result":1}"#
        let peer = try ToolScripts.peer(sending: tick, answer)
        let run = try await ToolRun.run(["batch", peer.url, "--notifications"], input: #"{"method":"m"}"#)
        #expect(run.status == 0)
        #expect(run.output == "\(tick)\n\(answer)\n")
        _ = try await peer.outcome()

        let other = try ToolScripts.peer(sending: tick, answer)
        let quiet = try await ToolRun.run(["batch", other.url], input: #"{"method":"m"}"#)
        #expect(quiet.output == answer + "\n")
        _ = try await other.outcome()
    }

    @Test func anErrorThatNamesNoCallIsPrintedAtOnce() async throws {
        let peer = try ToolScripts.peer(
            reading: 2, sending: #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no\u009bid"}}"#,
            #"{"jsonrpc":"2.0","id":1,"result":1}"#, #"{"jsonrpc":"2.0","id":2,"result":2}"#)
        let run = try await ToolRun.run(["batch", peer.url], input: "{\"method\":\"a\"}\n{\"method\":\"b\"}\n")
        #expect(run.status == 0)
        #expect(run.sortedLines.count == 2)
        #expect(
            run.diagnostics
                == #"jsonrpc: The peer sent an error without a usable request id: error -32600: no\u{009B}id"# + "\n"
        )
        _ = try await peer.outcome()
    }

    @Test func aParseErrorNamesOneLine() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["batch", url], input: "\n{\"method\" 1}\n")
            #expect(run.status == 2)
            let message = "Line 2 is not valid JSON at column 11: expected a colon after a member name."
            #expect(
                run.output
                    == #"{"id":null,"line":2,"failure":{"kind":"invalid","delivery":"not_sent","message":"\#(message)","retryable":false}}"#
                    + "\n")
        }
    }
}
