// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Histogram
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

@testable import LoadTester
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
                // This is the stall to measure. It waits for no event.
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

    /// One consumer for each connection, and a task for each call, make the same calls.
    @Test(arguments: [[], ["--tasks"]])
    func aClosedLoopSharesItsCallsBetweenConnections(options: [String]) async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(
                ["bench", url, "echo", "[1]", "--requests", "1000", "--concurrency", "10", "--connections", "3"]
                    + ["--json"] + options)
            #expect(run.status == 0, "\(run.diagnostics)")
            let report = try RawJSON(validating: run.output).decode(as: Report.self)
            #expect(report.calls == 1000 && report.errors == 0)
            #expect(run.output.contains(options.isEmpty ? #""load":"closed","# : #""load":"closed-tasks","#))
        }
    }

    @Test(arguments: [[], ["--tasks"]])
    func errorsAndLostCallsAreCounted(options: [String]) async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run(
                ["bench", url, "no.such.method", "--requests", "50", "--concurrency", "5", "--json"] + options)
            #expect(run.status == 1)
            let report = try RawJSON(validating: run.output).decode(as: Report.self)
            #expect(report.calls == 50 && report.errors == 50)
        }
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            for _ in 0..<4 { _ = try socket.readFrame() }
        }
        let run = try await ToolRun.run(
            ["bench", peer.url, "m", "--requests", "100", "--concurrency", "4", "--json"] + options)
        #expect(run.status == 5, "\(run.diagnostics)")
        let report = try RawJSON(validating: run.output).decode(as: Report.self)
        #expect(report.calls == 4 && report.errors == 4)
        try await peer.outcome()
    }

    @Test func tasksAreForAClosedLoop() async throws {
        let run = try await ToolRun.run(["bench", "localhost:1", "m", "--rate", "5", "--requests", "1", "--tasks"])
        #expect(run.status == 2)
        #expect(run.diagnostics.contains("--tasks has no effect with --rate."))
    }

    @Test func anOpenLoopWorksOverHTTP() async throws {
        let server = try HTTPScripts.service()
        let run = try await ToolRun.run([
            "bench", server.url, "echo", "[1]", "--rate", "500", "--requests", "100", "--connections", "4",
        ])
        #expect(run.status == 0, "\(run.diagnostics)")
        #expect(run.output.hasPrefix("calls       100\nerrors      0\nmissed      0\n"))
        #expect(run.output.contains("\nrate        500 calls/s in at most 4 POSTs, at most 10000 in flight\n"))
    }

    @Test func aTerminalShowsLiveFigures() async throws {
        try await ToolRun.withServer { url in
            try await withTemporaryDirectory { home in
                let arguments = ["bench", url, "echo", "--rate", "200", "--duration", "3600", "--max-in-flight", "500"]
                try await TmuxTerminal.run(arguments, home: home) { terminal in
                    let screen = try await terminal.wait("live figures") { lines in
                        lines.contains {
                            $0.wholeMatch(
                                of: /\[\.{12}\]   0 %  [0-9 ]+ calls  [0-9 ]+ calls\/s  p50 .* [µm]s  p99 .* [µm]s/)
                                != nil
                        }
                    }
                    #expect(screen.filter { $0.contains("calls/s") }.count == 1)
                    try await terminal.press("C-c")
                    // The line of the figures was cleared, and the table shows the measurements until then.
                    let end = try await terminal.wait("the end") { $0.contains("[status 130]") }
                    #expect(!end.contains { $0.hasPrefix("[....") })
                    #expect(end.contains { $0.hasPrefix("throughput  ") })
                }
            }
        }
    }

    @Test func runsAreReportedOneByOne() async throws {
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run([
                "bench", "\(url)?token=secret", "echo", "--rate", "1000..2000", "--duration", "100ms", "--warm-up",
                "50ms", "--runs", "3",
                "--connections", "2", "--json",
            ])
            #expect(run.status == 0, "\(run.diagnostics)")
            let report = try RawJSON(validating: run.output).decode(as: Report.self)
            #expect(report.runs.map(\.calls) == [150, 150, 150])
            #expect(run.output.contains(#""target":"\#(url)""#))
            #expect(!run.output.contains("secret"))
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

    @Test func aBrowserShowsTheFiguresOfARun() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "report.html").path(percentEncoded: false)
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run([
                "bench", url, "echo", "[1]", "--rate", "1000", "--requests", "300", "--runs", "2", "--json", "--html",
                path,
            ])
            #expect(run.status == 0, "\(run.diagnostics)")
            let report = try RawJSON(validating: run.output).decode(as: Report.self)
            let page = try await BrowserPage(opening: path, in: folder.path(percentEncoded: false))
            #expect(try page.value("calls") == 600)
            #expect(try page.value("errors") == 0)
            #expect(try page.value("missed") == 0)
            for name in ["p50", "p99", "max"] { #expect(try page.value(name) == report.latency_us[name]) }
            #expect(try page.value("percentile-99.9") == report.latency_us["p999"])
            #expect(try page.value("calls-per-second") > 0)
            // The browser has built the charts: two runs in each of three.
            #expect(page.count("svg") == 3)
            #expect(page.count("path class") == 6)
            #expect(page.document.contains("echo at \(url)"))
            #expect(try page.value("longest-delay") >= 0)
            let version = packageVersion
            for text in ["UTC", "jsonrpc \(version)", "processor", "<dt>params</dt><dd>[[1]]</dd>"] {
                #expect(page.document.contains(text), "\(text)")
            }
            #expect(page.document.contains("jsonrpc bench \(url) echo '[1]' --rate 1000 --requests 300 --runs 2"))
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

    @Test func aRegressionHasItsExitStatus() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "before.json").path(percentEncoded: false)
        func file(p50: Int, rate: String = "100") -> String {
            let latencies = #""p50":\#(p50),"p90":90000000,"p99":99000000"#
            return """
                {"calls":10,"errors":0,"calls_per_second":100,"latency_us":{\(latencies)},
                "settings":{"methods":["echo"],"load":"open","connections":1,"rate":"\(rate)","max_in_flight":10000},
                "median":{"calls_per_second":1,\(latencies),"error_share":0,"missed_share":0},
                "spread":{"calls_per_second":0,"p50":0,"p90":0,"p99":0,"error_share":0,"missed_share":0},
                "runs":[{"calls":10},{"calls":10}]}
                """
        }
        try await ToolRun.withServer { url in
            let command = ["bench", url, "echo", "--rate", "100", "--requests", "10", "--runs", "2", "--compare", path]
            // No call takes an hour, or 1 ns.
            try FileBytes.store(Array(file(p50: 3_600_000_000).utf8), at: path)
            let better = try await ToolRun.run(command)
            #expect(better.status == 0, "\(better.diagnostics)")
            #expect(better.output.contains("improvement"))
            try FileBytes.store(Array(file(p50: 0).utf8), at: path)
            let json = try await ToolRun.run(command + ["--json"])
            // The spread of two runs on a busy machine can be larger than their median.
            #expect(json.output.contains(#""verdict":"regression""#) == (json.status == 7))
            let single = try await ToolRun.run(command.map { $0 == "2" ? "1" : $0 })
            #expect(single.status == 7)
            #expect(single.output.contains("  regression\n"))
            try FileBytes.store(Array(file(p50: 1, rate: "5").utf8), at: path)
            let other = try await ToolRun.run(command)
            #expect(other.status == 2)
            #expect(other.diagnostics.contains("which was measured with --rate 5, not 100"))
        }
    }

    /// A call that ends after the time limit starts no other call.
    @Test(arguments: [[], ["--tasks"]]) func noCallStartsAfterTheTime(options: [String]) async throws {
        let peer = try Self.stallingPeer(at: 1)
        let run = try await ToolRun.run(
            ["bench", peer.url, "m", "--duration", "100ms", "--concurrency", "1", "--json"] + options)
        #expect(run.status == 0, "\(run.diagnostics)")
        #expect(try RawJSON(validating: run.output).decode(as: Report.self).calls == 1)
    }

    @Test func aRegressionOfMergedLogsHasItsExitStatusInSpiteOfErrors() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
        func log(_ totals: String, latency: UInt64) throws -> [UInt8] {
            var measurement = Measurement()
            measurement.latencies.record(latency, count: 20)
            measurement.calls = 20
            measurement.duration = .seconds(1)
            let text = try HistogramLog.log([BenchRun(measurement: measurement, began: 1_700_000_000)], comment: "")
            return Array(text.replacing("calls=20 missed=0", with: totals).utf8)
        }
        try FileBytes.store(log("calls=20 missed=0", latency: 1000), at: file("a.hlog"))
        let before = try await ToolRun.run(["bench", "--merge", file("a.hlog"), "--json"])
        try FileBytes.store(Array(before.output.utf8), at: file("a.json"))
        try FileBytes.store(log("calls=21 missed=9 errors.lost=1", latency: 9_000_000), at: file("b.hlog"))
        let after = try await ToolRun.run(["bench", "--merge", file("b.hlog"), "--compare", file("a.json")])
        #expect(after.status == 7, "\(after.diagnostics)")
        #expect(after.output.contains("regression"))
        #expect(after.output.contains("\nmissed      9"))
    }

    @Test func filesThatCannotBeWrittenLoseNoResult() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appending(path: "a.hlog").path(percentEncoded: false)
        try await ToolRun.withServer { url in
            let run = try await ToolRun.run([
                "bench", url, "echo", "--requests", "5", "--html", "/dev/full", "--histogram", log,
            ])
            #expect(run.status == 2)
            #expect(run.diagnostics.contains("Could not write /dev/full"))
            #expect(run.output.contains("calls       5\n"))
            #expect(try FileBytes.contents(of: log).count > 100)
        }
        // Nothing listens at this URL.
        let failed = try await ToolRun.run(["bench", "ws://127.0.0.1:1/", "m", "--requests", "1", "--histogram", log])
        #expect(failed.status == 3)
        #expect(try FileBytes.contents(of: log).count > 100)
    }

    @Test func aWorkloadHasSeveralMethods() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "w.ndjson").path(percentEncoded: false)
        let lines = [
            #"{"method":"add","params":["{{counter}}","{{random 1..6}}"],"weight":3}"#,
            #"{"method":"echo","params":{"text":"user-{{counter}}-{{uuid}}"}}"#,
        ]
        try FileBytes.store(Array(lines.joined(separator: "\n").utf8), at: path)
        try await ToolRun.withServer { url in
            for load in [["--rate", "1000"], ["--concurrency", "4", "--connections", "4", "--event-loops", "2"]] {
                let run = try await ToolRun.run(["bench", url, "--workload", path, "--requests", "200"] + load)
                #expect(run.status == 0, "\(run.diagnostics) \(run.output)")
                #expect(run.output.contains("  add\n"))
                #expect(run.output.hasSuffix("  echo\n"))
            }
            // The URL can come from the environment, as for a method.
            let run = try await ToolRun.run(
                ["bench", "--workload", path, "--requests", "5", "--json"], environment: ["JSONRPC_URL": url])
            #expect(run.status == 0, "\(run.diagnostics)")
            try FileBytes.store(Array("{}".utf8), at: path)
            let broken = try await ToolRun.run(["bench", url, "--workload", path, "--requests", "1"])
            #expect(broken.status == 2)
            #expect(broken.diagnostics.contains("w.ndjson, line 1: 'method' is missing"))
        }
    }

    @Test func logsOfSeveralRunsAreMerged() async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
        try await ToolRun.withServer { url in
            for (name, method) in [("a.hlog", "echo"), ("b.hlog", "fail")] {
                let run = try await ToolRun.run([
                    "bench", url, method, "--requests", "50", "--runs", "2", "--histogram", file(name),
                ])
                #expect(run.status == (method == "fail" ? 1 : 0))
            }
            for environment in [[:], ["JSONRPC_URL": url]] {
                let merged = try await ToolRun.run(
                    ["bench", "--merge", file("a.hlog"), file("b.hlog"), "--json", "--html", file("r.html")],
                    environment: environment)
                #expect(merged.status == 0, "\(merged.diagnostics)")
                let report = try RawJSON(validating: merged.output).decode(as: Report.self)
                #expect(report.calls == 200)
                #expect(report.errors == 100)
                #expect(report.runs.map(\.calls) == [100, 100])
            }
            #expect(try String(contentsOfFile: file("r.html"), encoding: .utf8).contains("2 logs merged"))
        }
        let broken = try await ToolRun.run(["bench", "--merge", file("r.html")])
        #expect(broken.status == 2)
        #expect(broken.diagnostics.contains("r.html, line 1: "))
        let mixed = try await ToolRun.run(["bench", "ws://h", "m", "--requests", "1", "--merge", file("a.hlog")])
        #expect(mixed.status == 2)
        #expect(mixed.diagnostics.contains("--merge makes no calls."))
    }

    /// Nothing listens at the URL, so a connection attempt would end with status 3.
    @Test(
        arguments: [
            (["--rate", "0", "--duration", "1"], "--rate must be a number"),
            (["--rate", "nan", "--duration", "1"], "not nan"),
            (["--rate", "fast"], "--rate must be a number of calls per second above 0"),
            (["--rate", "-5", "--duration", "1"], "not -5"),
            (["--rate", "1e99", "--duration", "1"], "at most 1000000"),
            (["--rate", "100..", "--duration", "1"], "not 100.."),
            (["--rate", "1..5", "--requests", "1"], "A ramp needs --duration"),
            (["--rate", "5", "--requests", "1", "--concurrency", "2"], "Give --rate or --concurrency"),
            (["--rate", "5", "--requests", "1", "--max-in-flight", "0"], "--max-in-flight must be from 1"),
            (["--requests", "1", "--max-in-flight", "5"], "--max-in-flight needs --rate"),
            (["--requests", "1", "--concurrency", "1000001"], "--concurrency must be from 1 to 1000000, not 1000001."),
            (["--rate", "1", "--requests", "1", "--connections", "100001"], "--connections must be from 1 to 100000"),
            (["--requests", "1", "--runs", "0"], "--runs must be from 1 to 1000, not 0."),
            (["--requests", "1", "--json", "--csv"], "Give --json or --csv"),
            (["--requests", "1", "--histogram", "/nowhere/x"], "Could not create /nowhere/x"),
            (["--requests", "1", "--html", "/nowhere/x"], "Could not create /nowhere/x"),
            (["--requests", "1", "--compare", "/nowhere/x"], "Could not open /nowhere/x"),
            (["--requests", "1", "--compare", "/dev/null"], "Could not read /dev/null as a result of"),
            (["--requests", "1", "--workload", "/nowhere/x"], "Give a method or --workload, not both."),
            (["--requests", "1", "--event-loops", "0"], "--event-loops must be from 1 to 64, not 0."),
            (["--requests", "1", "--tolerance", "nan"], "--tolerance must be from 0 to 1000 percent, not nan."),
            (["--requests", "1", "--tolerance", "-1"], "'-1' is invalid for '--tolerance"),
        ] as [([String], String)])
    func wrongOptionsAreReportedBeforeConnecting(_ options: [String], _ message: String) async throws {
        let run = try await ToolRun.run(["bench", "ws://127.0.0.1:1/", "m"] + options)
        #expect(run.status == 2)
        #expect(run.output == "")
        #expect(run.diagnostics.contains(message), "\(run.diagnostics)")
    }
}
