// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing

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
            // A device can take both.
            let run = try await ToolRun.run(Self.command + ["--html", "/dev/null", "--histogram", "/dev/null"])
            #expect(run.status == 3, "\(run.diagnostics)")
        }
    }

    @Test func aResultDoesNotReplaceAFileThatIsRead() async throws {
        try await inFolder { path in
            let log = HistogramLog.log([BenchSamples.run(latency: 5)], comment: "")
            let report = BenchSamples.report(BenchSamples.measurement, BenchSettings(load: "merged")).json()
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
}
