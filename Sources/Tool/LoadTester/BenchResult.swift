// swift-jsonrpc · SPDX-License-Identifier: MIT

import ToolSupport

/// The settings of a benchmark that reports show and `--compare` checks. Their coding is the `settings` of
/// `bench --json`.
package struct BenchSettings: Equatable, Sendable, Codable {
    private enum CodingKeys: String, CodingKey {
        case target, methods, load, connections, concurrency, rate, maximumInFlight = "max_in_flight", requests
        case duration = "duration_s", warmUp = "warm_up_s", batchLength = "as_batch"
        case requestsChecksum = "requests_checksum"
    }

    /// The URL without user name, password and query. A comparison does not need it.
    var target: String? = ""
    /// The methods, in the order of the workload.
    var methods: [String] = []
    /// `closed`, `closed-tasks`, `open`, or `merged` for a result of logs.
    package var load = "closed"
    /// The number of connections, of POSTs in flight, or of merged logs.
    package var connections = 1
    /// The calls in flight of a closed loop.
    package var concurrency: Int?
    /// The rate of an open loop: `100`, `100..5000`.
    package var rate: String?
    package var maximumInFlight: Int?
    /// The number of calls of a run; `nil` if a duration ends it.
    package var requests: UInt64?
    /// The duration of a run in seconds; `nil` if a number of calls ends it.
    package var duration: Double?
    /// The warm-up in seconds; `nil` if there is none.
    package var warmUp: Double?
    /// The largest number of calls in a batch; `nil` without batches.
    package var batchLength: Int?
    /// The checksum of methods, params and weights; `nil` for merged logs.
    package var requestsChecksum: String?
    /// The connections or POSTs that carry the calls, for people.
    package var route = "on 1 connection"

    var loadText: (title: String, text: String) {
        if load == "merged" { return ("logs", "\(connections)") }
        if let rate {
            return ("rate", "\(rate) calls/s \(route), at most \(maximumInFlight ?? 0) in flight")
        }
        return ("in flight", "\(concurrency ?? 0) \(route)")
    }
}

extension BenchSettings {
    package init(target: String, methods: [String]) {
        self.init()
        (self.target, self.methods) = (target, methods)
    }
}

package struct BenchRun: Sendable {
    package var measurement: Measurement
    /// The start of the measurement in seconds since 1970.
    package var began: Double
    /// The name of the run, for reports: `run 1`, or the name of a log.
    var name: String

    package init(measurement: Measurement, began: Double, name: String = "") {
        (self.measurement, self.began, self.name) = (measurement, began, name)
    }
}

package struct BenchResult: Sendable {
    package var settings: BenchSettings
    package var runs: [BenchRun]
    package var total: Measurement
    /// All logs together, for charts of merged logs.
    var overall: BenchRun?

    package init(settings: BenchSettings, runs: [BenchRun]) {
        self.settings = settings
        self.runs = runs
        total = runs.first?.measurement ?? Measurement()
        for run in runs.dropFirst() { total.add(run.measurement) }
    }

    func summary(of metric: BenchMetric) -> MetricSummary {
        MetricSummary(runs.map { metric.value(of: $0.measurement) })
    }
}

enum BenchMetric: String, CaseIterable, Sendable {
    case callsPerSecond = "calls_per_second"
    case p50, p90, p99, p999, max
    case errorShare = "error_share"
    case missedShare = "missed_share"

    static let latencies: [BenchMetric] = [.p50, .p90, .p99, .p999, .max]

    var title: String {
        switch self {
        case .callsPerSecond: "calls/s"
        case .p50, .p90, .p99, .max: rawValue
        case .p999: "p99.9"
        case .errorShare: "errors"
        case .missedShare: "missed"
        }
    }

    /// Returns a readable value of the figure. A share of 0.001 % can be a regression.
    func text(_ value: Double) -> String {
        switch self {
        case .callsPerSecond: DecimalText.fixed(value, digits: value < 100 ? 3 : 1)
        case .p50, .p90, .p99, .p999, .max: BenchReport.time(value)
        case .errorShare, .missedShare: "\(DecimalText.fixed(value, digits: 3)) %"
        }
    }

    var isBetterHigher: Bool { self == .callsPerSecond }

    /// Returns the figure. Latencies are in microseconds, shares in per cent of the calls that were due.
    func value(of measurement: Measurement) -> Double {
        switch self {
        case .callsPerSecond: measurement.callsPerSecond
        case .p50: measurement.latency(percentile: 50)
        case .p90: measurement.latency(percentile: 90)
        case .p99: measurement.latency(percentile: 99)
        case .p999: measurement.latency(percentile: 99.9)
        case .max: measurement.maximumLatency
        case .errorShare: Self.share(measurement.errorCount, of: measurement)
        case .missedShare: Self.share(measurement.missed, of: measurement)
        }
    }

    private static func share(_ count: UInt64, of measurement: Measurement) -> Double {
        let due = measurement.calls + measurement.missed
        return due == 0 ? 0 : Double(count) / Double(due) * 100
    }
}

struct MetricSummary: Equatable, Sendable {
    var median: Double
    /// The difference between the highest and the lowest value; 0 for a single run.
    var spread: Double

    init(median: Double, spread: Double) {
        (self.median, self.spread) = (median, spread)
    }

    init(_ values: [Double]) {
        let sorted = values.sorted()
        guard let lowest = sorted.first, let highest = sorted.last else {
            (median, spread) = (0, 0)
            return
        }
        let middle = sorted.count / 2
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        spread = highest - lowest
    }
}
