// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Histogram
import TestSupport
import TestTurns
import Testing
import ToolSupport

@testable import LoadTester

/// The HTML report in a real browser. It needs `chromium-headless-shell` (Scripts/install-test-peers.sh).
@Suite(.inTurn(within: .seconds(120))) struct BenchPageTests {
    private func open(_ page: BenchPage) async throws -> BrowserPage {
        try await withTemporaryDirectory { folder in
            let path = folder + "/report.html"
            try Data(page.html.utf8).write(to: URL(filePath: path))
            return try await BrowserPage(opening: path, in: folder)
        }
    }

    /// Opens a page in a frame of this width, and returns the measurements of a script in the frame's owner.
    private func measure(_ page: BenchPage, width: Int) async throws -> BrowserPage {
        let owner = """
            <!DOCTYPE html><body><iframe id="page" src="report.html" style="width:\(width)px;height:3000px;border:0"></iframe>
            <script>
            onload = () => {
              const page = document.getElementById("page").contentDocument
              const all = (selector) => [...page.querySelectorAll(selector)].filter((e) => e.getClientRects().length > 0)
              const boxes = (selector) => all(selector).map((e) => e.getBoundingClientRect())
              const labels = all(".chart span, .chart .unit, svg text").filter((e) => e.textContent)
                .map((e) => e.getBoundingClientRect())
              let overlaps = 0
              for (const ticks of all(".ticks")) {
                const inner = [...ticks.children].filter((e) => e.textContent && e.getClientRects().length > 0)
                  .map((e) => e.getBoundingClientRect())
                for (let i = 1; i < inner.length; i++) if (inner[i].left < inner[i - 1].right) overlaps++
              }
              const figures = {
                labels: labels.length, height: Math.min(...labels.map((b) => b.height)),
                outside: labels.filter((b) => b.left < 0 || b.right > \(width)).length, overlaps,
                column: Math.min(...boxes("td:first-child").map((b) => b.width)), width: page.documentElement.scrollWidth,
                plot: Math.min(...boxes("svg").map((b) => b.width)),
                times: all(".scale span").length,
                unitless: all(".chart").filter((chart) => chart.querySelector(".unit").textContent != "calls/s")
                  .flatMap((chart) => [...chart.querySelectorAll(".scale span")])
                  .filter((e) => !/^(0|[0-9.]+ .?s)$/.test(e.textContent)).length,
              }
              document.body.innerHTML = Object.entries(figures)
                .map(([name, value]) => `<data id="${name}" value="${value}"></data>`).join("")
            }
            </script>
            """
        return try await withTemporaryDirectory { folder in
            try Data(page.html.utf8).write(to: URL(filePath: folder + "/report.html"))
            try Data(owner.utf8).write(to: URL(filePath: folder + "/owner.html"))
            return try await BrowserPage(opening: folder + "/owner.html", in: folder)
        }
    }

    /// A page with all possible parts, and with long texts.
    static func fullPage() throws -> BenchPage {
        var settings = BenchSamples.settings()
        settings.methods = ["eth_getBlockTransactionCountByHash", "add"]
        (settings.load, settings.concurrency, settings.rate, settings.maximumInFlight) = ("open", nil, "100..200", 10)
        let runs = (1...3).map { number in
            var measurement = Measurement(methods: settings.methods)
            measurement.latencies.record(UInt64(number) * 400_000, count: 2_000_000)
            measurement.latencies.record(UInt64(number) * 500_957_200, count: 3)
            measurement.calls = 2_000_003
            measurement.duration = .seconds(7)
            measurement.longestDelay = 300_000_000
            for second in [0, 1, 2, 5, 6] {
                measurement.timeline.update(at: UInt64(second) * 1_000_000_000) {
                    ($0.calls, $0.longest) = (400_000, UInt64(second + number) * 1_000_000)
                }
            }
            measurement.timeline.update(at: 6_999_999_999) { _ in }
            return BenchRun(measurement: measurement, began: 1_700_000_000, name: "run \(number)")
        }
        let result = BenchResult(settings: settings, runs: runs)
        let baseline = try BenchBaseline(Array(BenchReport(result: result).json().utf8), path: "before.json")
        let conditions = [
            (title: "params", text: String(repeating: "[1234567890]", count: 40)),
            (title: "command", text: "jsonrpc bench ws://127.0.0.1:8080/a-long-path echo --rate 100..200"),
        ]
        return BenchPage(
            result: result, comparison: BenchComparison(baseline, result, tolerance: 5), conditions: conditions)
    }

    @Test(arguments: [360, 500, 1200]) func textsCanBeReadAtEachWidth(width: Int) async throws {
        let page = try await measure(Self.fullPage(), width: width)
        #expect(try page.value("labels") > 20)
        #expect(try page.value("height") >= 14)
        #expect(try page.value("outside") == 0)
        #expect(try page.value("overlaps") == 0)
        #expect(try page.value("column") >= 80)
        #expect(try page.value("width") <= Double(width))
        #expect(try page.value("plot") >= 180)
        // Each label of an axis of times has its unit.
        #expect(try page.value("times") >= 8)
        #expect(try page.value("unitless") == 0)
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
        // A latency of 0 would look like a fast server.
        #expect(page.document.contains("<data id=\"max\" value=\"0.000\">–</data>"))
        #expect(page.count("svg") == 3)
        #expect(!page.document.contains("NaN") && !page.document.contains("nan"))
    }

    /// A stall of the tool must not look like a stall of the server.
    @Test(arguments: [(9_000_000, false), (300_000_000, true)] as [(UInt64, Bool)])
    func aLargeDelayOfTheToolIsNamed(delay: UInt64, isNamed: Bool) throws {
        var page = try Self.fullPage()
        for index in page.result.runs.indices { page.result.runs[index].measurement.longestDelay = delay }
        page.result.total.longestDelay = delay
        let text = BenchReport.time(Double(delay) / 1000)
        #expect(page.html.contains("<data id=\"longest-delay\" value=\"\(delay / 1000).000\">\(text)</data>"))
        #expect(page.html.contains("The tool itself sent calls up to \(text) late.") == isNamed)
    }

    @Test func theLineOfTheLongestLatencyIsInterruptedWhereNothingWasAnswered() throws {
        var measurement = BenchSamples.measurement
        measurement.duration = .seconds(1)
        for interval in [0, 1, 2, 10, 11] as [UInt64] {
            measurement.timeline.update(at: interval * 50_000_000) { ($0.calls, $0.longest) = (9, 1_000_000) }
        }
        measurement.timeline.update(at: 999_999_999) { _ in }
        let points = measurement.timeline.longest(duration: 1)
        #expect(points.count == 20)
        #expect(points.indices.filter { points[$0].rate != nil } == [0, 1, 2, 10, 11])
        let series = BenchChart.Series(name: "", points: points.map { ($0.seconds, $0.rate) })
        #expect(series.parts.map(\.count) == [3, 2])
        #expect(series.values.allSatisfy { $0 == 1000 })
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
