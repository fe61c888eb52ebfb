// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCSession
import ToolSupport

/// An earlier result of `bench --json`, for `--compare`.
package struct BenchBaseline: Sendable {
    var path: String
    var figures: [BenchMetric: MetricSummary]
    var runs: Int
    private var settings: BenchSettings

    private struct File: Decodable {
        var settings: BenchSettings
        var median, spread: [String: Double]
        var runs: [Run]

        struct Run: Decodable { var calls: Double }
    }

    package init(_ bytes: [UInt8], path: String) throws {
        let file: File
        do {
            file = try RawJSON(validating: bytes).decode(as: File.self)
        } catch {
            let reason = CodingReason.clause(of: error)
            throw UsageError(
                "Could not read \(path) as a result of 'jsonrpc bench --json': \(TerminalText.line(reason))")
        }
        var figures: [BenchMetric: MetricSummary] = [:]
        for metric in BenchComparison.metrics {
            guard let median = file.median[metric.rawValue], let spread = file.spread[metric.rawValue] else {
                throw UsageError(
                    "Could not read \(path) as a result of 'jsonrpc bench --json': '\(metric.rawValue)' is missing.")
            }
            let summary = MetricSummary(median: median, spread: spread)
            guard summary.median.isFinite, summary.median >= 0, summary.spread.isFinite, summary.spread >= 0 else {
                throw UsageError("Could not compare with \(path): '\(metric.rawValue)' is negative.")
            }
            figures[metric] = summary
        }
        self.path = path
        self.figures = figures
        self.runs = file.runs.count
        self.settings = file.settings
    }

    /// Checks that the earlier result was measured with the same load. The URL may differ. Throws ``UsageError`` that
    /// names the first difference.
    package func check(_ now: BenchSettings) throws {
        func text(_ value: Int?) -> String { value.map(String.init) ?? "none" }
        for (name, old, new) in [
            ("the load", settings.load, now.load),
            ("--rate", settings.rate ?? "none", now.rate ?? "none"),
            ("--concurrency", text(settings.concurrency), text(now.concurrency)),
            ("--max-in-flight", text(settings.maximumInFlight), text(now.maximumInFlight)),
            ("--connections", text(settings.connections), text(now.connections)),
            ("method", settings.methods.joined(separator: ", "), now.methods.joined(separator: ", ")),
            ("--as-batch", text(settings.batchLength), text(now.batchLength)),
        ] where old != new {
            throw UsageError(
                "Cannot compare with \(path), which was measured with \(name) \(TerminalText.line(old)), not "
                    + "\(TerminalText.line(new)). Use the same load.")
        }
    }

    /// Returns sentences about differences that can change the figures, but need not.
    package func warnings(_ now: BenchSettings) -> [String] {
        func text(_ seconds: Double?) -> String { seconds.map(DecimalText.short) ?? "none" }
        func count(_ value: UInt64?) -> String { value.map(String.init) ?? "none" }
        var warnings: [String] = []
        if settings.requestsChecksum != now.requestsChecksum {
            warnings.append("\(path) was measured with other params or weights.")
        }
        for (name, old, new) in [
            ("--requests", count(settings.requests), count(now.requests)),
            ("--duration", text(settings.duration), text(now.duration)),
            ("--warm-up", text(settings.warmUp), text(now.warmUp)),
        ] where old != new {
            warnings.append("\(path) was measured with \(name) \(old), not \(new).")
        }
        return warnings
    }
}

/// A result beside an earlier one.
///
/// A figure is a regression if its median is worse by more than the spread of either result, and by more than the
/// tolerance. The spread is the difference between the highest and the lowest run.
package struct BenchComparison: Sendable {
    /// The figures that are compared. The tail above p99 differs too much from run to run.
    static let metrics: [BenchMetric] = [.callsPerSecond, .p50, .p90, .p99, .errorShare, .missedShare]

    enum Verdict: String, Sendable {
        case same, regression, improvement
    }

    struct Row: Equatable, Sendable {
        var metric: BenchMetric
        var before: Double
        var now: Double
        /// The larger spread of the two results.
        var spread: Double
        var verdict: Verdict

        /// The title, the medians, the change in per cent of the earlier median, and the spread.
        var cells: [String] {
            let change = (now - before) / before * 100
            let changeText =
                before > 0
                ? "\(change > 0 ? "+" : "")\(DecimalText.fixed(change, digits: 1)) %" : now > 0 ? "from 0" : "0.0 %"
            return [metric.title, metric.text(before), metric.text(now), changeText, metric.text(spread)]
        }
    }

    var path: String
    var runs: (before: Int, now: Int)
    /// In per cent of the earlier median.
    var tolerance: Double
    var rows: [Row]
    var warnings: [String]

    package init(_ baseline: BenchBaseline, _ result: BenchResult, tolerance: Double) {
        path = baseline.path
        runs = (baseline.runs, result.runs.count)
        self.tolerance = tolerance
        warnings = baseline.warnings(result.settings)
        rows = Self.metrics.compactMap { metric in
            guard let before = baseline.figures[metric] else { return nil }
            return Self.row(metric, before, result.summary(of: metric), tolerance)
        }
    }

    private static func row(
        _ metric: BenchMetric, _ before: MetricSummary, _ now: MetricSummary, _ tolerance: Double
    ) -> Row {
        let spread = max(before.spread, now.spread)
        // A share has decimals of its own: 0.001 is the last that the file has.
        let limit = max(spread, before.median * tolerance / 100, 0.001)
        let worse = metric.isBetterHigher ? before.median - now.median : now.median - before.median
        let verdict: Verdict = worse > limit ? .regression : -worse > limit ? .improvement : .same
        return Row(metric: metric, before: before.median, now: now.median, spread: spread, verdict: verdict)
    }

    package var hasRegression: Bool { rows.contains { $0.verdict == .regression } }

    package var table: String {
        func line(_ cells: [String], _ verdict: String = "") -> String {
            cells[0].padded(to: 12) + cells.dropFirst().map { DecimalText.right($0, 14) }.joined() + verdict
        }
        var lines = [
            "compared with \(TerminalText.line(path)) (medians of \(runs.before) and \(runs.now) runs)",
            line(["", "before", "now", "change", "spread"]),
        ]
        lines += rows.map { line($0.cells, $0.verdict == .same ? "" : "  \($0.verdict.rawValue)") }
        if runs.before == 1 || runs.now == 1 {
            lines.append("A single run has no spread. --runs 5 for both results would tell noise from change.")
        }
        lines += warnings.map { "Warning: \(TerminalText.line($0))" }
        return lines.joined(separator: "\n")
    }

    package var json: RawJSON {
        let metrics = rows.map { row in
            RawJSON(members: [
                ("name", RawJSON(string: row.metric.rawValue)), ("before", BenchReport.number(row.before)),
                ("now", BenchReport.number(row.now)), ("spread", BenchReport.number(row.spread)),
                ("verdict", RawJSON(string: row.verdict.rawValue)),
            ])
        }
        return RawJSON(members: [
            ("file", RawJSON(string: path)), ("regression", RawJSON(literal: "\(hasRegression)")),
            ("tolerance_percent", BenchReport.number(tolerance)),
            ("warnings", RawJSON(elements: warnings.map { RawJSON(string: $0) })),
            ("metrics", RawJSON(elements: metrics)),
        ])
    }
}
