// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

/// `listen` from end to end.
@Suite(.inTurn(within: .seconds(60))) struct ToolListenTests {
    private let tick = #"{"jsonrpc":"2.0","method":"tick"}"#

    private func peer() throws -> RawPeer<Void> {
        try RawPeer { [tick] socket in
            try socket.acceptUpgrade()
            try socket.send(ToolScripts.text("{\"event\": \"\u{9B}1\"}"))
            try socket.send(ToolScripts.text("not\u{1B}\nJSON"))
            try socket.send(ToolScripts.text(tick))
            _ = try? socket.answerClose()
        }
    }

    @Test func messagesThatAreNotJSONRPCAreMentionedOnce() async throws {
        let peer = try peer()
        let run = try await ToolRun.run(["listen", peer.url, "--count", "1"])
        #expect(run.status == 0)
        #expect(run.output == tick + "\n")
        #expect(
            run.diagnostics
                == "jsonrpc: The peer sent a message that is not JSON-RPC. Use --raw to print all such messages. "
                + #"The first: {"event": "\u009b1"}"# + "\n")
        _ = try await peer.outcome()
    }

    @Test func rawPrintsMessagesThatAreNotJSONRPC() async throws {
        let peer = try peer()
        let run = try await ToolRun.run(["listen", peer.url, "--count", "1", "--raw"])
        #expect(run.status == 0)
        #expect(run.output == "{\"event\":\"\u{9B}1\"}\n" + #"not\x1b\nJSON"# + "\n\(tick)\n")
        #expect(run.diagnostics == "")
        _ = try await peer.outcome()
    }

    @Test(arguments: [[1, 2], [2, 1]])
    func callOptionsAreCallsAndPrintTheirResultsInOrder(answers: [Int]) async throws {
        let peer = try ToolScripts.peer(
            reading: 3, sending: #"{"jsonrpc":"2.0","id":3,"result":[3]}"#,
            #"{"jsonrpc":"2.0","id":\#(answers[0]),"result":[\#(answers[0])]}"#,
            #"{"jsonrpc":"2.0","id":\#(answers[1]),"result":[\#(answers[1])]}"#, tick)
        let run = try await ToolRun.run([
            "listen", peer.url, "--call", "a", "-1", "--call", "b", "--params", "[2]", "--call", "c", "[3]",
            "--count", "1",
        ])
        #expect(run.status == 0)
        #expect(run.output == tick + "\n")
        #expect(run.diagnostics == "[1]\n[2]\n[3]\n")
        #expect(
            try await peer.outcome() == [
                #"{"jsonrpc":"2.0","id":1,"method":"a","params":[-1]}"#,
                #"{"jsonrpc":"2.0","id":2,"method":"b","params":[2]}"#,
                #"{"jsonrpc":"2.0","id":3,"method":"c","params":[[3]]}"#,
            ])
    }
}
