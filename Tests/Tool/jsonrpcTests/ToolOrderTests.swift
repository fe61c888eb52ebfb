// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

/// Results, notifications and raw messages are printed in the order of arrival.
@Suite(.inTurn(within: .seconds(60))) struct ToolOrderTests {
    private static let rounds = 40

    /// A peer that sends a notification before and after each result, in one write, so that the tool reads all at once.
    private func peer(rounds: Int = rounds) throws -> RawPeer<Void> {
        try RawPeer { socket in
            try socket.acceptUpgrade()
            for round in 1...rounds {
                _ = try socket.readFrame()
                let messages = [
                    #"{"jsonrpc":"2.0","method":"before","params":[\#(round)]}"#,
                    #"{"jsonrpc":"2.0","method":"before","params":[\#(round)]}"#,
                    #"{"jsonrpc":"2.0","id":\#(round),"result":\#(round)}"#,
                    #"{"jsonrpc":"2.0","method":"after","params":[\#(round)]}"#,
                ]
                try socket.send(messages.flatMap { ToolScripts.text($0).bytes })
            }
            _ = try? socket.answerClose()
        }
    }

    /// Runs the tool with both outputs combined.
    private func run(_ arguments: [String], input: String) async throws -> [String] {
        let run = try await ToolRun.run(
            program: "/bin/sh", ["-c", #"exec "$0" "$@" 2>&1"#, ToolRun.program] + arguments, input: input)
        #expect(run.status == 0)
        return run.output.split(separator: "\n").map(String.init)
    }

    @Test func connectPrintsResultsAmongTheNotifications() async throws {
        let peer = try peer()
        let lines = try await run(["connect", peer.url], input: String(repeating: "m\n", count: Self.rounds))
        let expected = (1...Self.rounds).flatMap {
            ["<- before [\($0)]", "<- before [\($0)]", "\($0)", "<- after [\($0)]"]
        }
        // After the last result, the tool does not wait for the notification.
        #expect(lines.prefix(expected.count - 1) == expected.dropLast()[...])
        _ = try await peer.outcome()
    }

    @Test(arguments: [1, 16]) func batchPrintsResultsAmongTheNotifications(_ concurrency: Int) async throws {
        let peer = try peer()
        let lines = try await run(
            ["batch", peer.url, "--notifications", "--concurrency", "\(concurrency)"],
            input: String(repeating: "{\"method\":\"m\"}\n", count: Self.rounds))
        let expected = (1...Self.rounds).flatMap { round in
            [
                #"{"jsonrpc":"2.0","method":"before","params":[\#(round)]}"#,
                #"{"jsonrpc":"2.0","method":"before","params":[\#(round)]}"#,
                #"{"jsonrpc":"2.0","id":\#(round),"result":\#(round)}"#,
                #"{"jsonrpc":"2.0","method":"after","params":[\#(round)]}"#,
            ]
        }
        #expect(lines.prefix(expected.count - 1) == expected.dropLast()[...])
        _ = try await peer.outcome()
    }

    @Test func arraysComeAfterTheNotificationsBeforeThem() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            _ = try socket.readFrame()
            let messages =
                (1...20).map { #"{"jsonrpc":"2.0","method":"before","params":[\#($0)]}"# }
                + [#"[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":2}]"#]
            try socket.send(messages.flatMap { ToolScripts.text($0).bytes })
            _ = try? socket.answerClose()
        }
        let lines = try await run(
            ["batch", peer.url, "--notifications", "--as-batch", "2"], input: "{\"method\":\"m\"}\n{\"method\":\"m\"}\n"
        )
        #expect(lines.count == 22)
        #expect(lines.suffix(2).allSatisfy { $0.contains("result") })
        _ = try await peer.outcome()
    }

    @Test func listenPrintsResultsAndRawMessagesAmongTheNotifications() async throws {
        let tick = #"{"jsonrpc":"2.0","method":"tick"}"#
        let messages = [
            tick, "raw 1", #"{"jsonrpc":"2.0","id":1,"result":"subscribed"}"#, "raw 2", tick, #"{"event":3}"#, tick,
        ]
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            _ = try socket.readFrame()
            try socket.send(messages.flatMap { ToolScripts.text($0).bytes })
            _ = try? socket.answerClose()
        }
        let lines = try await run(["listen", peer.url, "--raw", "--call", "m", "--count", "3"], input: "")
        #expect(lines == [tick, "raw 1", #""subscribed""#, "raw 2", tick, #"{"event":3}"#, tick])
        _ = try await peer.outcome()
    }

    @Test(arguments: ["call", "batch"]) func theLineOfAMessagePrecedesItsResult(_ command: String) async throws {
        let answer = #"{"jsonrpc":"2.0","id":1,"result":19}"#
        let peer = try ToolScripts.peer(sending: answer)
        let lines = try await run(
            command == "call" ? ["call", peer.url, "m", "-v"] : ["batch", peer.url, "-v"], input: #"{"method":"m"}"#)
        let message = try #require(lines.firstIndex(of: "<-- \(answer)"))
        #expect(try #require(lines.firstIndex(of: command == "call" ? "19" : answer)) > message)
        _ = try await peer.outcome()
    }

    @Test func aCallThatFailsIsPrintedInOrderToo() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            for round in 1...3 {
                _ = try socket.readFrame()
                let messages = [
                    #"{"jsonrpc":"2.0","method":"before","params":[\#(round)]}"#,
                    #"{"jsonrpc":"2.0","id":\#(round),"error":{"code":\#(round),"message":"no"}}"#,
                ]
                try socket.send(messages.flatMap { ToolScripts.text($0).bytes })
            }
            _ = try? socket.answerClose()
        }
        let run = try await ToolRun.run(["connect", peer.url], input: "m\nm\nm\n")
        #expect(run.status == 1)
        #expect(
            run.diagnostics.split(separator: "\n").map(String.init)
                == (1...3).flatMap { ["<- before [\($0)]", #"{"code":\#($0),"message":"no"}"#] })
        _ = try await peer.outcome()
    }
}
