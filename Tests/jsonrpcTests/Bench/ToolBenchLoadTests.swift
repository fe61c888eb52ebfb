// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

@testable import jsonrpc

/// `jsonrpc bench` as a process, with loads and terminals that are out of the ordinary.
@Suite(.inTurn(within: .seconds(120))) struct ToolBenchLoadTests {
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

    /// Runs a shell command in a terminal, and returns what it writes there.
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
