// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Histogram
import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

@testable import jsonrpc

/// The HTML report in a real browser. It needs `chromium-headless-shell` (Scripts/install-test-peers.sh).
@Suite(.inTurn(within: .seconds(120))) struct BenchPageTests {
    /// The document as the browser has parsed it.
    private struct Page {
        var document: String

        /// Opens a file.
        init(opening path: String, in folder: URL) async throws {
            let run = try await ToolRun.run(
                program: "/usr/bin/env",
                [
                    "chromium-headless-shell", "--no-sandbox", "--headless", "--disable-gpu",
                    "--user-data-dir=\(folder.appending(path: "browser").path(percentEncoded: false))", "--dump-dom",
                    "file://\(path)",
                ])
            #expect(run.status == 0, "\(run.diagnostics)")
            document = run.output
        }

        /// The value of a `data` element.
        func value(_ id: String) throws -> Double {
            let begin = try #require(document.firstRange(of: "<data id=\"\(id)\" value=\""), "no \(id)")
            return try #require(Double(document[begin.upperBound...].prefix { $0 != "\"" }))
        }

        /// The number of elements of this name.
        func count(_ element: String) -> Int { document.ranges(of: "<\(element)").count }
    }

    private func open(_ page: BenchPage) async throws -> Page {
        let folder = try ToolRun.scratchFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "report.html").path(percentEncoded: false)
        try FileBytes.store(Array(page.html.utf8), at: path)
        return try await Page(opening: path, in: folder)
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
            let report = try RawJSON(validating: run.output).decode(as: ToolBenchTests.Report.self)
            let page = try await Page(opening: path, in: folder)
            #expect(try page.value("calls") == 600)
            #expect(try page.value("errors") == 0)
            #expect(try page.value("missed") == 0)
            for name in ["p50", "p99", "max"] { #expect(try page.value(name) == report.latency_us[name]) }
            #expect(try page.value("percentile-99.9") == report.latency_us["p999"])
            #expect(try page.value("calls-per-second") > 0)
            // The browser has built the charts: two runs in each of three.
            #expect(page.count("svg") == 3)
            #expect(page.count("polyline") == 6)
            #expect(page.document.contains("echo at \(url)"))
        }
    }

    /// A method, a URL and an error message that would end their element and run a script.
    @Test func hostileTextsStayText() async throws {
        let hostile =
            #"</script></style></title><script>document.title="taken"</script><img src=x onerror=alert(1)>'"&"#
        var measurement = Measurement(methods: [hostile, "\u{202E}m\u{1B}[2J"])
        for value in 1...1000 { measurement.latencies.record(UInt64(value) * 1000) }
        measurement.calls = 1000
        measurement.methods[0].calls = 7
        measurement.errors = [.errorObject: 3]
        measurement.firstFailure = hostile
        measurement.duration = .seconds(1)
        let settings = BenchSettings(target: "ws://h/\"onload=\"x", methods: [hostile], concurrency: 1)
        let result = BenchResult(
            settings: settings, runs: [BenchRun(measurement: measurement, began: 0, name: hostile)])
        let baseline = try BenchBaseline(
            Array(BenchReport(result: result).json().utf8), path: "<script>document.title='taken'</script>")
        let page = try await open(
            BenchPage(result: result, comparison: BenchComparison(baseline, result, tolerance: 5)))
        #expect(page.count("script") == 0)
        #expect(page.count("img") == 0)
        #expect(page.document.contains("<title>jsonrpc bench: &lt;/script&gt;"))
        #expect(page.document.contains("<span id=\"method-0\">&lt;/script&gt;&lt;/style&gt;"))
        #expect(page.document.contains("\\u202em\\x1b[2J"))
        #expect(try page.value("method-0-calls") == 7)
        #expect(try page.value("p50") == measurement.latency(percentile: 50))
        #expect(page.document.contains("Made with jsonrpc bench."))
    }

    @Test func aRunWithoutCallsHasAPage() async throws {
        let empty = BenchResult(
            settings: BenchSamples.settings(), runs: [BenchRun(measurement: Measurement(), began: 0)])
        let page = try await open(BenchPage(result: empty))
        #expect(try page.value("calls") == 0)
        #expect(try page.value("max") == 0)
        #expect(page.count("svg") == 3)
        #expect(!page.document.contains("NaN") && !page.document.contains("nan"))
    }
}

@Suite(.inTurn) struct BenchChartTests {
    @Test(
        arguments: [
            (0, ["0", "1"]), (6, ["0", "1", "2", "3", "4", "5", "6"]), (7, ["0", "2", "4", "6", "8"]),
            (0.05, ["0.00", "0.01", "0.02", "0.03", "0.04", "0.05"]), (1234, ["0", "500", "1000", "1500"]),
        ] as [(Double, [String])])
    func linearTicksAreRound(_ highest: Double, _ expected: [String]) {
        let ticks = BenchChart.linearTicks(to: highest) {
            DecimalText.fixed($0, digits: $0 == $0.rounded() && highest >= 1 || highest == 0 ? 0 : 2)
        }
        #expect(ticks.map(\.text) == expected)
    }

    @Test(
        arguments: [
            (3, 40, [2, 5, 10, 20, 50]), (1, 1, [1, 2]), (0.5, 90_000, [0.1, 1, 10, 100, 1000, 10_000, 100_000]),
            (0, 0, [0.001, 0.002]),
        ] as [(Double, Double, [Double])])
    func logarithmicTicksEncloseTheValues(_ lowest: Double, _ highest: Double, _ expected: [Double]) {
        let ticks = BenchChart.logarithmicTicks(from: lowest, to: highest) { "\($0)" }
        #expect(ticks.count == expected.count)
        for (tick, value) in zip(ticks, expected) { #expect(abs(tick.position / value - 1) < 1e-9) }
    }
}
