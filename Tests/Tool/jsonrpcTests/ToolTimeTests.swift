// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

/// When results are printed, and when the tool ends.
@Suite(.inTurn(within: .seconds(60))) struct ToolTimeTests {
    /// Shorter than the library's own limit for a closing handshake, which is five seconds.
    private static let closing = Duration.seconds(4)

    @Test func callPrintsItsResultBeforeTheClosingHandshake() async throws {
        let peer = try ToolScripts.peer(sending: #"{"jsonrpc":"2.0","id":1,"result":"now"}"#)
        let call = try PeerProcess(ToolRun.program, ["call", peer.url, "m", "-v"])
        #expect(try await call.exitStatus() == 0)
        _ = try await call.line(containing: "* closed from here")
        let lines = call.log.split(separator: "\n")
        let result = try #require(lines.firstIndex(of: "\"now\""))
        let closed = try #require(lines.firstIndex { $0.hasPrefix("* closed from here") })
        #expect(result < closed)
        _ = try await peer.outcome()
    }

    @Test func aPeerThatIgnoresCloseDoesNotKeepACallThatHasItsResult() async throws {
        let peer = try ToolScripts.peerIgnoringClose(sending: #"{"jsonrpc":"2.0","id":1,"result":1}"#)
        let run = try await ToolRun.run(["call", peer.url, "m"])
        #expect(run.status == 0)
        #expect(run.output == "1\n")
        #expect(try await peer.outcome() < Self.closing)
    }

    @Test func timeoutIsTheLimitForTheClosingHandshakeToo() async throws {
        let peer = try ToolScripts.peerIgnoringClose()
        let run = try await ToolRun.run(["call", peer.url, "m", "--timeout", "1"])
        #expect(run.status == 4)
        #expect(try await peer.outcome() < Self.closing)
    }

    @Test(arguments: [["batch"], ["notify"]]) func timeoutIsTheLimitForClosingOtherCommands(
        _ command: [String]
    ) async throws {
        let peer = try ToolScripts.peerIgnoringClose(sending: #"{"jsonrpc":"2.0","id":1,"result":1}"#)
        let params = command == ["batch"] ? [] : ["m"]
        let run = try await ToolRun.run(
            command + [peer.url] + params + ["--timeout", "1"], input: #"{"method":"m"}"#)
        #expect(run.status == 0)
        #expect(try await peer.outcome() < Self.closing)
    }

    @Test func timeoutIsTheLimitForConnectingToo() async throws {
        let peer = try RawPeer { socket in _ = try? socket.readToEnd() }
        let run = try await ToolRun.run(["call", peer.url, "m", "--timeout", "100ms"])
        #expect(run.status == 4)
        #expect(run.diagnostics.contains("--timeout"))
        _ = try await peer.outcome()
    }

    @Test func discoverAndBenchPrintBeforeTheClosingHandshake() async throws {
        let document = #"{"openrpc":"1.3.2","info":{"title":"T","version":"1"},"methods":[]}"#
        let peer = try ToolScripts.peer(sending: #"{"jsonrpc":"2.0","id":1,"result":\#(document)}"#)
        let discover = try PeerProcess(ToolRun.program, ["discover", peer.url, "-v"])
        #expect(try await discover.exitStatus() == 0)
        _ = try await discover.line(containing: "* closed from here")
        var lines = discover.log.split(separator: "\n")
        #expect(
            try #require(lines.firstIndex(of: "T 1"))
                < (try #require(lines.firstIndex { $0.hasPrefix("* closed from here") })))
        _ = try await peer.outcome()

        let other = try ToolScripts.peer(sending: #"{"jsonrpc":"2.0","id":1,"result":1}"#)
        let bench = try PeerProcess(ToolRun.program, ["bench", other.url, "m", "--requests", "1", "-v"])
        #expect(try await bench.exitStatus() == 0)
        _ = try await bench.line(containing: "* closed from here")
        lines = bench.log.split(separator: "\n")
        #expect(
            try #require(lines.firstIndex { $0.hasPrefix("calls") })
                < (try #require(lines.firstIndex { $0.hasPrefix("* closed from here") })))
        _ = try await other.outcome()
    }
}
