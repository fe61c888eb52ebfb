// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

@testable import jsonrpc

/// `jsonrpc bench` as a process, with unusual loads and terminals.
@Suite(.inTurn(within: .seconds(120))) struct ToolBenchLoadTests {
    private struct Report: Decodable {
        var calls, errors, missed, unfinished: Int
    }

    @Test(arguments: [["--concurrency", "4"], ["--concurrency", "4", "--tasks"], ["--rate", "1000"]])
    func callsInFlightAtAnInterruptionAreReported(load: [String]) async throws {
        let stalled = AsyncStream.makeStream(of: Void.self)
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            var (calls, pongs) = (0, 0)
            while let frame = try socket.readFrame(), frame.opcode != RawFrame.Opcode.close {
                let isCall = frame.opcode != RawFrame.Opcode.pong
                if isCall { calls += 1 } else { pongs += 1 }
                // Only the first call is answered. An open loop makes the others without waiting for the answer, so two
                // PINGs in sequence show that the call has ended.
                if isCall, calls == 1 { try socket.send(ToolScripts.text(#"{"jsonrpc":"2.0","id":1,"result":1}"#)) }
                if isCall ? calls == 1 : pongs == 1 { try socket.send(RawFrame(RawFrame.Opcode.ping, [1])) }
                if calls == 5, pongs == 2 { stalled.continuation.yield() }
            }
            try socket.send(.close(1000))
        }
        try await withTemporaryDirectory { folder in
            let process = try PeerProcess(
                "/bin/sh",
                [
                    "-c", #"out=$1; shift; exec "$@" >"$out""#, "sh", folder + "/out", ToolRun.program, "bench",
                    peer.url,
                    "m", "--requests", "5", "--json",
                ] + load)
            for await _ in stalled.stream { break }
            process.signal(SIGINT)
            #expect(try await process.exitStatus() == 130)
            let report = try RawJSON(validating: FileBytes.contents(of: folder + "/out")).decode(as: Report.self)
            #expect(report.calls == 1 && report.errors == 0 && report.missed == 0)
            #expect(report.unfinished == 4)
        }
        try await peer.outcome()
    }

    @Test func optionsWithoutEffectAreRefused() async throws {
        let (ws, http) = (["bench", "ws://127.0.0.1:1/", "m"], ["bench", "http://127.0.0.1:1/", "m"])
        for (arguments, message) in [
            (http + ["--requests", "1", "--event-loops", "2"], "--event-loops needs a ws:// or wss:// URL."),
            (ws + ["--requests", "1", "--tolerance", "3"], "--tolerance needs --compare, which is missing."),
            (["bench", "--merge", "/nowhere/x", "--as-batch"], "--merge makes no calls."),
        ] {
            let run = try await ToolRun.run(arguments)
            #expect(run.status == 2)
            #expect(run.diagnostics.contains(message), "\(run.diagnostics)")
        }
    }

    /// Runs a shell command in a terminal, and returns its output there.
    private func inTerminal(_ command: String, _ arguments: [String]) async throws -> String {
        let words = ([ToolRun.program] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let run = try await ToolRun.run(
            program: "/usr/bin/script", ["-qec", "\(command) \(words) >/dev/null", "/dev/null"])
        #expect(run.status == 0, "\(run.output)")
        return run.output
    }

    @Test func liveFiguresFitTheTerminalIfStandardOutputIsAFile() async throws {
        try await ToolRun.withServer { url in
            let output = try await inTerminal(
                "stty cols 50;", ["bench", url, "echo", "--rate", "100", "--requests", "50"])
            let lines = output.split(separator: "\r").map { $0.replacing("\u{1B}[K", with: "") }
            #expect(lines.contains { $0.contains("calls/s") })
            #expect(lines.allSatisfy { $0.count < 50 }, "\(output)")
        }
    }

    @Test func aDumbTerminalGetsNoLiveFigures() async throws {
        try await ToolRun.withServer { url in
            let output = try await inTerminal("TERM=dumb", ["bench", url, "echo", "--rate", "100", "--requests", "50"])
            #expect(output == "")
        }
    }
}
