// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// Formats a measurement as a table or as JSON.
struct BenchReport {
    var measurement: Measurement
    var concurrency: Int
    /// The connections or POSTs that carry the calls, for people.
    var route: String

    private var percentiles: [(title: String, key: String, value: Double)] {
        [
            ("p50", "p50", measurement.latency(percentile: 50)),
            ("p90", "p90", measurement.latency(percentile: 90)),
            ("p99", "p99", measurement.latency(percentile: 99)),
            ("p99.9", "p999", measurement.latency(percentile: 99.9)),
            ("max", "max", measurement.maximumLatency),
        ]
    }

    /// The measurement as one JSON object on one line. Latencies are in microseconds.
    var json: String {
        let latencies = percentiles.map { "\"\($0.key)\":\(DecimalText.fixed($0.value, digits: 3))" }
        return """
            {"calls":\(measurement.calls),"errors":\(measurement.errorCount),\
            "seconds":\(DecimalText.fixed(measurement.seconds, digits: 6)),\
            "calls_per_second":\(DecimalText.fixed(measurement.callsPerSecond, digits: 1)),\
            "latency_us":{\(latencies.joined(separator: ","))}}
            """
    }

    /// The measurement as a table for people. Latencies are in microseconds.
    var table: String {
        var lines = [
            row("calls", DecimalText.grouped(measurement.calls)),
            row("errors", errorText),
            row("in flight", "\(concurrency) \(route)"),
            row("duration", "\(DecimalText.fixed(measurement.seconds, digits: 3)) s"),
            row("throughput", "\(throughput) calls/s (higher is better)"),
            "",
            row("latency", "(lower is better)"),
            row("", percentiles.map { DecimalText.right($0.title, 12) }.joined()),
            row("µs", percentiles.map { DecimalText.right(DecimalText.fixed($0.value, digits: 1), 12) }.joined()),
        ]
        if let firstFailure = measurement.firstFailure {
            lines.append("")
            lines.append("First error: \(firstFailure)")
        }
        return lines.joined(separator: "\n")
    }

    private var throughput: String { DecimalText.grouped(UInt64(max(0, measurement.callsPerSecond.rounded()))) }

    /// The number of errors, with the number of each kind.
    private var errorText: String {
        let kinds = measurement.errors.sorted { $0.key.rawValue < $1.key.rawValue }
        guard !kinds.isEmpty else { return "0" }
        let parts = kinds.map { "\($0.key.title): \(DecimalText.grouped($0.value))" }
        return "\(DecimalText.grouped(measurement.errorCount)) (\(parts.joined(separator: ", ")))"
    }

    private func row(_ title: String, _ text: String) -> String {
        title + String(repeating: " ", count: max(1, 12 - title.count)) + text
    }
}

extension CallFailure.Kind {
    /// The name of the kind in the table.
    fileprivate var title: String {
        switch self {
        case .errorObject: "error object"
        case .couldNotConnect: "could not connect"
        case .status: "HTTP status"
        case .timeout: "timeout"
        case .lost: "connection lost"
        case .protocolViolation: "protocol violation"
        case .cancelled: "cancelled"
        case .invalid: "invalid request"
        }
    }
}
