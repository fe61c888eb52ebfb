// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCSession
import ToolSupport

/// Formats the result of a benchmark as a table, as JSON or as CSV.
package struct BenchReport {
    var result: BenchResult

    package init(result: BenchResult) { self.result = result }

    private var total: Measurement { result.total }

    // MARK: Table

    package var table: String {
        let load = result.settings.loadText
        var lines = [
            row("calls", DecimalText.grouped(total.calls)),
            row("errors", errorText),
        ]
        let isOpenLoop = result.settings.rate != nil
        if isOpenLoop || total.missed > 0 { lines.append(row("missed", missedText)) }
        if total.unfinished > 0 {
            let count = DecimalText.grouped(total.unfinished)
            lines.append(row("unfinished", "\(count) (in flight when the run was interrupted)"))
        }
        if isOpenLoop {
            lines.append(row("sent late", "by at most \(Self.time(total.longestDelayMicroseconds))"))
        }
        lines += [
            row(load.title, load.text),
            row("duration", "\(DecimalText.fixed(total.seconds, digits: 3)) s"),
            row("throughput", "\(Self.rate(total.callsPerSecond)) calls/s (higher is better)"),
            "",
            row("latency", "(lower is better)"),
            row("", BenchMetric.latencies.map { DecimalText.right($0.title, 12) }.joined()),
            row("", BenchMetric.latencies.map { DecimalText.right(Self.latency($0.value(of: total)), 12) }.joined()),
        ]
        lines += runLines + methodLines
        if let firstFailure = total.firstFailure {
            lines.append("")
            lines.append("First error: \(TerminalText.line(firstFailure))")
        }
        return lines.joined(separator: "\n")
    }

    private var runLines: [String] {
        guard result.runs.count > 1 else { return [] }
        func line(_ title: String, _ value: (BenchMetric) -> Double) -> String {
            let cells = [Self.rate(value(.callsPerSecond))] + BenchMetric.latencies.map { Self.time(value($0)) }
            return row(title, cells.map { DecimalText.right($0, 12) }.joined())
        }
        let columns = [BenchMetric.callsPerSecond] + BenchMetric.latencies
        var lines = ["", row("runs", columns.map { DecimalText.right($0.title, 12) }.joined())]
        lines += result.runs.enumerated().map { index, run in
            line("\(index + 1)") { $0.value(of: run.measurement) }
        }
        lines.append(line("median") { result.summary(of: $0).median })
        lines.append(line("spread") { result.summary(of: $0).spread })
        return lines
    }

    private var methodLines: [String] {
        guard !total.methods.isEmpty else { return [] }
        let titles = ["calls", "errors", "p50", "p99"].map { DecimalText.right($0, 12) }.joined()
        return ["", row("methods", titles)]
            + total.methods.map { method in
                row("", method.cells.map { DecimalText.right($0, 12) }.joined()) + "  \(TerminalText.line(method.name))"
            }
    }

    var errorText: String {
        let kinds = total.errors.sorted { $0.key.rawValue < $1.key.rawValue }
        guard !kinds.isEmpty else { return "0" }
        let parts = kinds.map { "\($0.key.title): \(DecimalText.grouped($0.value))" }
        return "\(DecimalText.grouped(total.errorCount)) (\(parts.joined(separator: ", ")))"
    }

    private var missedText: String {
        guard total.missed > 0 else { return "0" }
        return
            "\(DecimalText.grouped(total.missed)) (not sent: --max-in-flight reached, connection lost, or tool too slow)"
    }

    /// Returns a number that is not negative, rounded.
    static func whole(_ value: Double) -> UInt64 { UInt64(max(0, min(1e18, value.rounded()))) }

    /// Returns a readable throughput. Low ones have decimals.
    static func rate(_ value: Double) -> String {
        if value >= 99.95 || value == value.rounded() { return DecimalText.grouped(whole(value)) }
        return DecimalText.fixed(value, digits: value < 9.995 ? 2 : 1)
    }

    /// Returns a readable time, with about three digits and a suitable unit.
    static func time(_ microseconds: Double) -> String {
        func short(_ value: Double) -> String {
            let isWhole = value == value.rounded()
            return DecimalText.fixed(value, digits: isWhole ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0)
        }
        return switch microseconds {
        case 0: "0"
        case ..<1000: "\(short(microseconds)) µs"
        case ..<1_000_000: "\(short(microseconds / 1000)) ms"
        default: "\(short(microseconds / 1_000_000)) s"
        }
    }

    /// Returns a readable latency. 0 means that no call was answered.
    static func latency(_ microseconds: Double) -> String { microseconds == 0 ? "–" : time(microseconds) }

    private func row(_ title: String, _ text: String) -> String {
        title.padded(to: 12) + text
    }

    // MARK: JSON

    /// The result as one JSON object on one line. Latencies are in microseconds.
    package func json(comparison: RawJSON? = nil) throws -> String {
        var members = Self.figures(total)
        members += [
            ("settings", try RawJSON(encoding: result.settings)),
            ("runs", RawJSON(elements: result.runs.map { RawJSON(members: Self.figures($0.measurement)) })),
            ("median", summary(\.median)), ("spread", summary(\.spread)),
        ]
        if !total.methods.isEmpty { members.append(("methods", RawJSON(elements: total.methods.map(Self.figures)))) }
        if let comparison { members.append(("comparison", comparison)) }
        return RawJSON(members: members).text
    }

    private static func figures(_ measurement: Measurement) -> [(name: String, value: RawJSON)] {
        let latencies = BenchMetric.latencies.map { ($0.rawValue, number($0.value(of: measurement))) }
        return [
            ("calls", RawJSON(literal: "\(measurement.calls)")),
            ("errors", RawJSON(literal: "\(measurement.errorCount)")),
            ("seconds", RawJSON(literal: DecimalText.fixed(measurement.seconds, digits: 6))),
            ("calls_per_second", RawJSON(literal: callsPerSecond(measurement))),
            ("latency_us", RawJSON(members: latencies)), ("missed", RawJSON(literal: "\(measurement.missed)")),
            ("longest_delay_us", number(measurement.longestDelayMicroseconds)),
            ("unfinished", RawJSON(literal: "\(measurement.unfinished)")),
        ]
    }

    private static func figures(_ method: MethodMeasurement) -> RawJSON {
        let latencies = [("p50", 50.0), ("p99", 99.0)].map { ($0, number(method.latency(percentile: $1))) }
        return RawJSON(members: [
            ("method", RawJSON(string: method.name)), ("calls", RawJSON(literal: "\(method.calls)")),
            ("errors", RawJSON(literal: "\(method.errors)")), ("latency_us", RawJSON(members: latencies)),
        ])
    }

    private func summary(_ part: (MetricSummary) -> Double) -> RawJSON {
        RawJSON(members: BenchMetric.allCases.map { ($0.rawValue, Self.number(part(result.summary(of: $0)))) })
    }

    static func number(_ value: Double) -> RawJSON { RawJSON(literal: decimal(value)) }

    static func decimal(_ value: Double) -> String { DecimalText.fixed(value, digits: 3) }

    /// Returns the throughput for programs. With a few calls, one decimal would not be enough.
    static func callsPerSecond(_ measurement: Measurement) -> String {
        DecimalText.fixed(measurement.callsPerSecond, digits: measurement.callsPerSecond < 100 ? 3 : 1)
    }

    // MARK: CSV

    /// The runs as CSV (RFC 4180 with line feeds): a line of names, then a line for each run. Latencies are in
    /// microseconds.
    package var csv: String {
        let names =
            ["run", "calls", "errors", "missed", "seconds", "calls_per_second"]
            + BenchMetric.latencies.map { "\($0.rawValue)_us" } + ["longest_delay_us", "unfinished"]
        let lines = result.runs.enumerated().map { index, run in
            let measurement = run.measurement
            let figures = [
                "\(index + 1)", "\(measurement.calls)", "\(measurement.errorCount)", "\(measurement.missed)",
                DecimalText.fixed(measurement.seconds, digits: 6),
                Self.callsPerSecond(measurement),
            ]
            let latencies = BenchMetric.latencies.map { Self.decimal($0.value(of: measurement)) }
            return figures + latencies + [
                Self.decimal(measurement.longestDelayMicroseconds), "\(measurement.unfinished)",
            ]
        }
        return ([names] + lines).map { $0.joined(separator: ",") }.joined(separator: "\n")
    }
}
