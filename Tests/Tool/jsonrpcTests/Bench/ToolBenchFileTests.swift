// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing

@testable import LoadTester
@testable import jsonrpc

/// The files of `jsonrpc bench`. Nothing listens at the URL, so a connection attempt would end with status 3.
@Suite(.inTurn(within: .seconds(60))) struct ToolBenchFileTests {
    private static let command = ["bench", "ws://127.0.0.1:1/", "m", "--requests", "1"]

    /// Runs `body` with the paths of files in an empty folder.
    private func inFolder(_ body: (_ path: (String) -> String) async throws -> Void) async throws {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body { folder.appending(path: $0).path(percentEncoded: false) }
    }

    @Test func twoResultsCannotGoToOneFile() async throws {
        try await inFolder { path in
            try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("a"))
            for other in [path("a"), path("./a"), path("link")] {
                let run = try await ToolRun.run(Self.command + ["--html", path("a"), "--histogram", other])
                #expect(run.status == 2)
                #expect(run.diagnostics.contains("--html and --histogram name the same file"), "\(run.diagnostics)")
            }
            // A device can be used for both.
            let run = try await ToolRun.run(Self.command + ["--html", "/dev/null", "--histogram", "/dev/null"])
            #expect(run.status == 3, "\(run.diagnostics)")
        }
    }

    @Test func aResultDoesNotReplaceAFileThatIsRead() async throws {
        try await inFolder { path in
            let run = BenchRun(measurement: Measurement(), began: 1_700_000_000)
            let log = try HistogramLog.log([run], comment: "")
            let result = BenchResult(settings: BenchSettings(load: "merged"), runs: [run])
            let report = try BenchReport(result: result).json()
            let files = [("a.hlog", log), ("before.json", report), ("w.ndjson", #"{"method":"m"}"#)]
            for (name, text) in files { try FileBytes.store(Array(text.utf8), at: path(name)) }
            let bench = ["bench", "ws://127.0.0.1:1/", "--requests", "1"]
            for (arguments, options) in [
                (["bench", "--merge", path("a.hlog"), "--histogram", path("a.hlog")], "--merge and --histogram"),
                (
                    [
                        "bench", "--merge", path("a.hlog"), "--compare", path("before.json"), "--html",
                        path("before.json"),
                    ],
                    "--compare and --html"
                ),
                (bench + ["--workload", path("w.ndjson"), "--html", path("./w.ndjson")], "--workload and --html"),
            ] {
                let run = try await ToolRun.run(arguments)
                #expect(run.status == 2, "\(options)")
                #expect(run.diagnostics.contains("\(options) name the same file"), "\(run.diagnostics)")
            }
            for (name, text) in files { #expect(try FileBytes.contents(of: path(name)) == Array(text.utf8), "\(name)") }
        }
    }

    @Test func aComparisonWithAnotherRequestOrLengthHasAWarning() async throws {
        try await ToolRun.withServer { url in
            try await inFolder { path in
                let bench = ["bench", url, "echo", "--runs", "2", "--json"]
                let before = try await ToolRun.run(bench + ["--requests", "20", "--params", "[1]"])
                try FileBytes.store(Array(before.output.utf8), at: path("before.json"))
                let compare = bench + ["--compare", path("before.json")]
                let same = try await ToolRun.run(compare + ["--requests", "20", "--params", "[1]"])
                #expect(same.status != 2 && same.diagnostics == "")
                #expect(same.output.contains(#""warnings":[]"#))
                let params = try await ToolRun.run(compare + ["--requests", "20", "--params", "[2]"])
                #expect(params.diagnostics.contains("before.json was measured with other params or weights."))
                #expect(params.output.contains(#""warnings":[""#))
                let length = try await ToolRun.run(
                    compare + ["--duration", "300ms", "--warm-up", "1ms", "--params", "[1]"])
                #expect(length.diagnostics.contains("before.json was measured with --requests 20, not none."))
                #expect(length.diagnostics.contains("before.json was measured with --duration none, not 0.3."))
                #expect(length.diagnostics.contains("before.json was measured with --warm-up none, not 0.001."))
                #expect(length.status != 2)
            }
        }
    }

    @Test func aComparisonWithOtherWeightsHasAWarning() async throws {
        try await ToolRun.withServer { url in
            try await inFolder { path in
                func bench(_ weight: String, _ options: [String]) async throws -> ToolRun {
                    let lines = #"{"method":"echo","weight":\#(weight)}"# + "\n" + #"{"method":"echo","params":[1]}"#
                    try FileBytes.store(Array(lines.utf8), at: path("w"))
                    return try await ToolRun.run(
                        ["bench", url, "--workload", path("w"), "--requests", "20"] + options)
                }
                try FileBytes.store(Array(try await bench("1", ["--json"]).output.utf8), at: path("before"))
                let same = try await bench("1.0", ["--compare", path("before")])
                #expect(!same.output.contains("Warning") && same.diagnostics == "")
                let other = try await bench("2", ["--compare", path("before"), "--html", path("r.html")])
                #expect(other.diagnostics.contains("measured with other params or weights."))
                #expect(other.output.contains("Warning: "))
                #expect(
                    String(decoding: try FileBytes.contents(of: path("r.html")), as: UTF8.self).contains("Warning: "))
            }
        }
    }

    @Test func aComparisonWithOtherBatchesIsRefused() async throws {
        let server = try HTTPScripts.service()
        try await inFolder { path in
            let bench = ["bench", server.url, "echo", "[1]", "--requests", "20", "--concurrency", "4"]
            let before = try await ToolRun.run(bench + ["--json"])
            try FileBytes.store(Array(before.output.utf8), at: path("before"))
            let run = try await ToolRun.run(bench + ["--as-batch", "4", "--compare", path("before")])
            #expect(run.status == 2, "\(run.output)")
            #expect(run.diagnostics.contains("which was measured with --as-batch none, not 4."))
        }
    }
}
