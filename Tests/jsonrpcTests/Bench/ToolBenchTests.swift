// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

@testable import jsonrpc

/// `jsonrpc bench` as a process.
@Suite(.inTurn(within: .seconds(120))) struct ToolBenchTests {
    struct Report: Decodable {
        var calls, errors, missed: Int
        var latency_us: [String: Double]
        var runs: [Run]

        struct Run: Decodable { var calls: Int }
    }

    /// A server that answers every request with its result, and stalls before one of them.
    private static func stallingPeer(at stalledCall: Int) throws -> RawPeer<Void> {
        try RawPeer { socket in
            try socket.acceptUpgrade()
            var calls = 0
            while let frame = try socket.readFrame(), frame.opcode == RawFrame.Opcode.text {
                calls += 1
                // The stall is what is measured, it waits for nothing.
                if calls == stalledCall { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(300)) }
                let id = try RawJSON(validating: frame.text).decode(as: Request.self).id
                try socket.send(ToolScripts.text(#"{"jsonrpc":"2.0","id":\#(id),"result":1}"#))
            }
            try socket.send(.close(1000))
        }
    }

    private struct Request: Decodable { var id: Int }

    @Test func aStalledServerShowsInTheTailOfAnOpenLoop() async throws {
        let server = try Self.stallingPeer(at: 100)
        let run = try await ToolRun.run([
            "bench", server.url, "m", "--rate", "500", "--requests", "500", "--json",
        ])
        #expect(run.status == 0, "\(run.diagnostics)")
        let report = try RawJSON(validating: run.output).decode(as: Report.self)
        #expect(report.calls == 500)
        #expect(report.missed == 0)
        // 150 of 500 calls are due during the stall.
        #expect(report.latency_us["p90"] ?? 0 >= 100_000)
        try await server.outcome()
    }

    @Test func runsAreReportedOneByOne() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run([
                "bench", url, "echo", "--rate", "1000..2000", "--duration", "100ms", "--warm-up", "50ms", "--runs", "3",
                "--connections", "2", "--json",
            ])
            #expect(run.status == 0, "\(run.diagnostics)")
            let report = try RawJSON(validating: run.output).decode(as: Report.self)
            #expect(report.runs.map(\.calls) == [150, 150, 150])
            #expect(report.calls == 450)
        }
    }

    @Test func callsOverTheLimitAreMissed() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run([
                "bench", url, "sleep", "3600", "--rate", "1000", "--requests", "50", "--max-in-flight", "5",
                "--timeout",
                "1", "--json",
            ])
            #expect(run.status == 4)
            let report = try RawJSON(validating: run.output).decode(as: Report.self)
            #expect(report.errors == 5)
            #expect(report.missed == 45)
        }
    }

    @Test func csvHasALineForEachRun() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(["bench", url, "echo", "--requests", "10", "--runs", "2", "--csv"])
            #expect(run.status == 0)
            let lines = run.output.split(separator: "\n")
            #expect(lines.count == 3)
            #expect(lines[0].hasPrefix("run,calls,errors,missed,seconds,"))
            #expect(lines[2].hasPrefix("2,10,0,0,"))
        }
    }

    /// Nothing listens at the URL, so a connection attempt would end with status 3.
    @Test(
        arguments: [
            (["--rate", "0", "--duration", "1"], "--rate must be a number"),
            (["--rate", "nan", "--duration", "1"], "not nan"),
            (["--rate", "-5", "--duration", "1"], "not -5"),
            (["--rate", "1e99", "--duration", "1"], "at most 1000000"),
            (["--rate", "100..", "--duration", "1"], "not 100.."),
            (["--rate", "1..5", "--requests", "1"], "A ramp needs --duration"),
            (["--rate", "5", "--requests", "1", "--concurrency", "2"], "Give --rate or --concurrency"),
            (["--rate", "5", "--requests", "1", "--max-in-flight", "0"], "--max-in-flight must be from 1"),
            (["--requests", "1", "--max-in-flight", "5"], "--max-in-flight needs --rate"),
            (["--requests", "1", "--runs", "0"], "--runs must be from 1 to 1000, not 0."),
            (["--requests", "1", "--json", "--csv"], "Give --json or --csv"),
            (["--requests", "1", "--histogram", "/nowhere/x"], "Could not create /nowhere/x"),
        ] as [([String], String)])
    func wrongOptionsAreReportedBeforeConnecting(_ options: [String], _ message: String) async throws {
        let run = try await ToolRun.run(["bench", "ws://127.0.0.1:1/", "m"] + options)
        #expect(run.status == 2)
        #expect(run.output == "")
        #expect(run.diagnostics.contains(message), "\(run.diagnostics)")
    }
}
