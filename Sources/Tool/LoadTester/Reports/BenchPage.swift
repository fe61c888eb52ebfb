// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import Histogram
import ToolSupport

/// Formats the result of a benchmark as one HTML file, which loads nothing and runs no script.
///
/// Every text that does not come from the tool itself passes through ``HTMLText``. Each figure is in a `data` element
/// with an id, so that programs can read it.
package struct BenchPage {
    var result: BenchResult
    var comparison: BenchComparison?
    var conditions: [(title: String, text: String)]

    package init(
        result: BenchResult, comparison: BenchComparison? = nil, conditions: [(title: String, text: String)] = []
    ) {
        (self.result, self.comparison, self.conditions) = (result, comparison, conditions)
    }

    private var total: Measurement { result.total }

    package var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>jsonrpc bench: \(HTMLText.escape(subject))</title>
        <style>
        \(Self.style)
        </style>
        </head>
        <body>
        <h1>\(HTMLText.escape(subject))</h1>
        <p class="load">\(HTMLText.escape(loadText))</p>
        \(tiles)
        \(delayText)
        \(failureText)
        \(section("Latency by percentile", note: "lower is better", distributionChart))
        \(section("Throughput over time", note: "higher is better", throughputChart))
        \(section("Longest latency over time", note: "lower is better; no line where no call was answered", longestChart))
        \(tables.joined(separator: "\n"))
        \(warnings)
        \(conditionList)
        <footer>Made with jsonrpc bench.</footer>
        </body>
        </html>

        """
    }

    // MARK: Text

    private var subject: String {
        let methods = result.settings.methods
        let names = methods.count > 3 ? "\(methods.count) methods" : methods.joined(separator: ", ")
        let parts = [names, result.settings.target ?? ""].filter { !$0.isEmpty }
        return parts.isEmpty ? "load test" : parts.joined(separator: " at ")
    }

    private var loadText: String {
        let load = result.settings.loadText
        let runs = result.runs.count
        if result.settings.load == "merged" { return "\(runs) log\(runs == 1 ? "" : "s") merged" }
        let kind = result.settings.load == "open" ? "Open loop" : "Closed loop"
        return "\(kind), \(load.title) \(load.text), \(runs) run\(runs == 1 ? "" : "s")"
    }

    private var failureText: String {
        guard let failure = total.firstFailure else { return "" }
        return "<p class=\"failure\">First error: <span id=\"first-error\">\(HTMLText.escape(failure))</span></p>"
    }

    /// A sentence about the delay of the tool itself, if it is a notable part of the latencies.
    private var delayText: String {
        guard total.longestDelay >= Self.notableDelay else { return "" }
        return
            "<p class=\"failure\">The tool itself sent calls up to \(BenchReport.time(total.longestDelayMicroseconds)) "
            + "late. Latencies include this delay: choose a lower rate, or a machine with less other work.</p>"
    }

    /// The smallest delay of the tool that is mentioned: 10 ms, in nanoseconds.
    private static let notableDelay: UInt64 = 10_000_000

    private var conditionList: String {
        guard !conditions.isEmpty else { return "" }
        let rows = conditions.map { row in
            "<dt>\(HTMLText.escape(row.title))</dt><dd>\(HTMLText.escape(row.text))</dd>"
        }
        return "<section><h2>Conditions</h2><dl id=\"conditions\">\(rows.joined(separator: "\n"))</dl></section>"
    }

    private var warnings: String {
        (comparison?.warnings ?? []).map { "<p class=\"failure\">Warning: \(HTMLText.escape($0))</p>" }.joined()
    }

    private static func data(_ id: String, _ value: String, _ text: String) -> String {
        "<data id=\"\(id)\" value=\"\(value)\">\(HTMLText.escape(text))</data>"
    }

    private static func data(_ id: String, _ count: UInt64) -> String {
        data(id, "\(count)", DecimalText.grouped(count))
    }

    private var tiles: String {
        func latency(_ metric: BenchMetric) -> String {
            let value = metric.value(of: total)
            return Self.data(metric.rawValue, BenchReport.decimal(value), BenchReport.latency(value))
        }
        let rate = (BenchReport.callsPerSecond(total), BenchReport.rate(total.callsPerSecond))
        var tiles: [(String, String)] = [
            ("calls/s", Self.data("calls-per-second", rate.0, rate.1)),
            ("p50", latency(.p50)), ("p99", latency(.p99)), ("max", latency(.max)),
            ("calls", Self.data("calls", total.calls)), ("errors", Self.data("errors", total.errorCount)),
        ]
        if result.settings.rate != nil || total.missed > 0 {
            tiles.append(("missed", Self.data("missed", total.missed)))
        }
        if result.settings.rate != nil {
            let delay = total.longestDelayMicroseconds
            let data = Self.data("longest-delay", BenchReport.decimal(delay), BenchReport.time(delay))
            tiles.append(("sent late by at most", data))
        }
        if total.unfinished > 0 { tiles.append(("unfinished", Self.data("unfinished", total.unfinished))) }
        return "<div class=\"tiles\">"
            + tiles.map { "<div><b>\($0.1)</b><span>\(HTMLText.escape($0.0))</span></div>" }.joined() + "</div>"
    }

    // MARK: Charts

    private func section(_ title: String, note: String, _ chart: BenchChart) -> String {
        "<section><h2>\(title) <small>\(note)</small></h2>\(chart.legend)\n\(chart.html)</section>"
    }

    private var chartRuns: [BenchRun] { (result.overall.map { [$0] } ?? []) + result.runs }

    private var distributionChart: BenchChart {
        // The horizontal axis is the number of nines: 1 is 90 %, 2 is 99 %.
        let count = chartRuns.map(\.measurement.latencies.totalCount).max() ?? 0
        let end = max(1, min(6, ceil(log10(Double(max(count, 10))))))
        let series = chartRuns.map { run in
            let histogram = run.measurement.latencies
            var points: [(x: Double, y: Double?)] = []
            for step in histogram.percentiles(ticksPerHalfDistance: 5) where histogram.totalCount > 0 {
                let rest = 1 - step.percentileLevelIteratedTo / 100
                points.append((rest > 0 ? min(end, -log10(rest)) : end, Double(step.value) / 1000))
            }
            return BenchChart.Series(name: run.name, points: points)
        }
        let values = series.flatMap(\.values)
        let ticks = (0...Int(end)).map { nines in
            let text =
                nines == 0
                ? "0 %" : nines == 1 ? "90 %" : "99\(nines > 2 ? "." : "")\(String(repeating: "9", count: nines - 2)) %"
            return BenchChart.Tick(position: Double(nines), text: text)
        }
        return BenchChart(
            id: "latency-chart", title: "Latency by percentile", xTitle: "percentile", yTitle: "latency",
            series: series, xTicks: ticks,
            yTicks: BenchChart.logarithmicTicks(from: values.min() ?? 1, to: values.max() ?? 10, BenchReport.time),
            isLogarithmic: true)
    }

    private var throughputChart: BenchChart {
        timeChart(
            "throughput-chart", "Throughput over time", yTitle: "calls/s",
            { $0.timeline.throughput(duration: $0.timelineSeconds).map { ($0.seconds, $0.rate) } }
        ) {
            $0 < 10 && $0 != $0.rounded()
                ? DecimalText.fixed($0, digits: 1) : DecimalText.grouped(BenchReport.whole($0))
        }
    }

    private var longestChart: BenchChart {
        timeChart(
            "longest-chart", "Longest latency over time", yTitle: "latency",
            { $0.timeline.longest(duration: $0.timelineSeconds) },
            BenchReport.time)
    }

    private func timeChart(
        _ id: String, _ title: String, yTitle: String,
        _ points: (Measurement) -> [(seconds: Double, rate: Double?)], _ text: (Double) -> String
    ) -> BenchChart {
        let series = chartRuns.map { run in
            BenchChart.Series(name: run.name, points: points(run.measurement).map { ($0.seconds, $0.rate) })
        }
        let seconds = chartRuns.map(\.measurement.timelineSeconds).max() ?? 0
        return BenchChart(
            id: id, title: title, xTitle: "time since the start", yTitle: yTitle, series: series,
            xTicks: BenchChart.linearTicks(to: seconds, exactEnd: true) { BenchReport.time($0 * 1_000_000) },
            yTicks: BenchChart.linearTicks(to: series.flatMap(\.values).max() ?? 0, text))
    }

    // MARK: Tables

    private var tables: [String] {
        var tables = [table("Latency distribution", ["percentile", "latency"], percentileRows)]
        if result.runs.count > 1 {
            tables.append(
                table(
                    "Runs",
                    ["run", "calls/s"] + BenchMetric.latencies.map(\.title) + ["errors", "missed", "sent late"],
                    runRows))
        }
        if !total.methods.isEmpty {
            tables.append(table("Methods", ["method", "calls", "errors", "p50", "p99"], methodRows))
        }
        if let comparison {
            tables.append(
                table(
                    "Compared with \(comparison.path)", ["", "before", "now", "change", "spread", ""],
                    comparison.rows.map { row in
                        let verdict = row.verdict.rawValue
                        return row.cells + [
                            row.verdict == .same ? "" : "<span class=\"\(verdict)\">\(verdict)</span>"
                        ]
                    }))
        }
        return tables
    }

    /// Returns a table. The titles are escaped, the cells of the rows are HTML.
    private func table(_ title: String, _ names: [String], _ rows: [[String]]) -> String {
        let head = names.map { "<th>\(HTMLText.escape($0))</th>" }.joined()
        let body = rows.map { "<tr>\($0.map { "<td>\($0)</td>" }.joined())</tr>" }.joined(separator: "\n")
        return
            "<section><h2>\(HTMLText.escape(title))</h2><div class=\"scroll\"><table><thead><tr>\(head)</tr></thead>\n"
            + "<tbody>\(body)</tbody></table></div></section>"
    }

    private var percentileRows: [[String]] {
        [50, 75, 90, 95, 99, 99.9, 99.99, 100].map { percentile in
            let value = total.latency(percentile: percentile)
            let text = percentile == percentile.rounded() ? DecimalText.fixed(percentile, digits: 0) : "\(percentile)"
            return [
                "\(text) %", Self.data("percentile-\(text)", BenchReport.decimal(value), BenchReport.latency(value)),
            ]
        }
    }

    private var runRows: [[String]] {
        func row(_ name: String, _ value: (BenchMetric) -> Double, _ counts: [String] = ["", "", ""]) -> [String] {
            [HTMLText.escape(name), BenchReport.rate(value(.callsPerSecond))]
                + BenchMetric.latencies.map { BenchReport.time(value($0)) } + counts
        }
        return result.runs.map { run in
            row(
                run.name, { $0.value(of: run.measurement) },
                [
                    DecimalText.grouped(run.measurement.errorCount), DecimalText.grouped(run.measurement.missed),
                    BenchReport.time(run.measurement.longestDelayMicroseconds),
                ])
        } + [
            row("median", { result.summary(of: $0).median }), row("spread", { result.summary(of: $0).spread }),
        ]
    }

    private var methodRows: [[String]] {
        total.methods.enumerated().map { index, method in
            [
                "<span id=\"method-\(index)\">\(HTMLText.escape(method.name))</span>",
                Self.data("method-\(index)-calls", method.calls),
            ] + method.cells.dropFirst()
        }
    }

    private static let style = """
        :root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #e1e5ea; --back: #fff; --tile: #f4f6f8;
          --s0: #2563c9; --s1: #c2410c; --s2: #0f8a5f; --s3: #8b3fc7; --s4: #b3261e; --s5: #0b7f93; --s6: #8a6d00; --s7: #64748b }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #9aa6b5; --line: #2c3542; --back: #12171e;
          --tile: #1b222c; --s0: #6ea3f7; --s1: #f59255; --s2: #4ac79a; --s3: #c08cf0; --s4: #f07c74; --s5: #4fc3d6;
          --s6: #d8b93c; --s7: #a3b0c2 } }
        body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--back); max-width: 800px;
          margin: 2rem auto; padding: 0 1rem }
        h1 { font-size: 1.4rem; margin: 0; overflow-wrap: anywhere } h2 { font-size: 1rem; margin: 2rem 0 .4rem }
        small, .load, .legend, footer, th, .tiles span { color: var(--soft); font-weight: normal } .load { margin: .2rem 0 1rem }
        .tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: .6rem }
        .tiles div { background: var(--tile); border-radius: 8px; padding: .6rem .8rem }
        .tiles b { display: block; font-size: 1.1rem; white-space: nowrap;
          font-variant-numeric: tabular-nums } .tiles span { font-size: .85rem }
        .failure { overflow-wrap: anywhere } .scroll { overflow-x: auto }
        .chart { display: grid; grid-template-columns: 4.8rem minmax(0, 1fr); padding-right: 2.4rem; font-size: 12px;
          color: var(--soft) } .unit { grid-column: 1 / -1; padding: .2rem 0 .7rem }
        .below { grid-column: 2; padding: 0; text-align: center } .scale, .ticks { position: relative }
        .scale span { position: absolute; right: .5rem; transform: translateY(50%); white-space: nowrap }
        .ticks { grid-column: 2; height: 1.3rem }
        .ticks span { position: absolute; top: .2rem; transform: translateX(-50%); white-space: nowrap }
        svg { width: 100%; height: 13rem; display: block; overflow: visible }
        path { fill: none; stroke-width: 2; stroke-linejoin: round; vector-effect: non-scaling-stroke }
        .grid path { stroke: var(--line); stroke-width: 1 }
        @media (max-width: 640px) { .many span:nth-child(even) { display: none } }
        @media (max-width: 420px) { .tiles { grid-template-columns: repeat(2, 1fr) } }
        \((0..<BenchChart.maximumSeries).map { "path.s\($0) { stroke: var(--s\($0)) } i.s\($0) { background: var(--s\($0)) }" }.joined(separator: "\n"))
        .legend span { margin-right: 1rem } .legend i { display: inline-block; width: .8em; height: .8em;
          border-radius: 2px; margin-right: .35em }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums } th, td { text-align: right;
          padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); white-space: nowrap }
        th:first-child, td:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere;
          min-width: 9rem }
        dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem; margin: 0 }
        dt { color: var(--soft) } dd { margin: 0; overflow-wrap: anywhere }
        .regression { color: var(--s4); font-weight: bold } .improvement { color: var(--s2) }
        footer { margin: 2rem 0; font-size: .85rem }
        """
}
