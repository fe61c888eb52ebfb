// swift-jsonrpc · SPDX-License-Identifier: MIT

import Histogram
import Synchronization
package import ToolSupport

package struct Measurement: Sendable {
    /// The latencies in nanoseconds, until the caller has the response.
    ///
    /// In a closed loop they begin with the call, in an open loop with the intended start of the call. A call that
    /// timed out counts with the time that it waited. A call without a connection, or that lost it, does not count.
    var latencies: Histogram<UInt64>
    /// The number of calls that ended, with or without a result.
    var calls: UInt64 = 0
    /// The number of calls that ended without a result, by kind.
    var errors: [CallFailure.Kind: UInt64] = [:]
    /// The number of calls of an open loop that were not sent, because too many were in flight, the connection was
    /// lost, or the tool was too slow.
    var missed: UInt64 = 0
    /// The number of calls that were in flight when the run was interrupted. ``calls`` does not include them.
    var unfinished: UInt64 = 0
    /// The longest time between the intended and the actual start of a call of an open loop, in nanoseconds.
    var longestDelay: UInt64 = 0
    var longestDelayMicroseconds: Double { Double(longestDelay) / 1000 }
    var firstFailure: String?
    /// The start in seconds since 1970, after the warm-up.
    package var began = 0.0
    var duration: Duration = .zero
    var timeline = Timeline()
    /// The end of the timeline in seconds, if it is not the duration: merged logs can have gaps.
    var timelineEnd: Double?
    /// The calls of each method, in the order of the workload file. Empty if there is only one.
    var methods: [MethodMeasurement]

    init(methods: [String] = []) {
        // Up to one hour in steps of a nanosecond; it grows for larger values. The layout is fixed, so that logs can be
        // merged.
        latencies = Histogram<UInt64>(
            lowestDiscernibleValue: 1, highestTrackableValue: 3_600_000_000_000,
            numberOfSignificantValueDigits: .three)
        latencies.autoResize = true
        self.methods = methods.count > 1 ? methods.map { MethodMeasurement(name: $0) } : []
    }

    var errorCount: UInt64 { errors.values.reduce(0, +) }

    var seconds: Double { duration.inSeconds }

    var timelineSeconds: Double { timelineEnd ?? seconds }

    /// The number of calls that were answered, with a result or an error.
    var answered: UInt64 {
        let unanswered = errors.filter { !$0.key.isAnswered }.values.reduce(0, +)
        return calls - min(calls, unanswered)
    }

    /// The throughput. A server that answers nothing has none, so calls without an answer do not count.
    var callsPerSecond: Double { seconds > 0 ? Double(answered) / seconds : 0 }

    /// Returns a percentile of the latencies, in microseconds.
    func latency(percentile: Double) -> Double {
        calls == 0 ? 0 : Double(latencies.valueAtPercentile(percentile)) / 1000
    }

    /// The maximum of the latencies, in microseconds.
    var maximumLatency: Double { Double(latencies.maxRecorded) / 1000 }

    package var status: CommandStatus { errors.keys.reduce(.success) { .worst($0, $1.status) } }

    /// Returns whether another run can have other results. Without connections it would only repeat the failure.
    package func isRepeatable(_ callers: [BenchCaller]) -> Bool {
        if callers.contains(where: \.outlivesConnections) {
            return calls > (errors[.couldNotConnect] ?? 0) + (errors[.lost] ?? 0)
        }
        return ![.connectionLost, .couldNotConnect].contains(status)
    }

    /// Adds the calls of another run. The durations add up, the timeline stays.
    mutating func add(_ other: Measurement) {
        latencies.add(other.latencies)
        calls += other.calls
        errors.merge(other.errors, uniquingKeysWith: +)
        missed += other.missed
        unfinished += other.unfinished
        longestDelay = max(longestDelay, other.longestDelay)
        firstFailure = firstFailure ?? other.firstFailure
        duration += other.duration
        for (index, method) in other.methods.enumerated() where index < methods.count {
            methods[index].add(method)
        }
    }
}

struct MethodMeasurement: Sendable {
    var name: String
    /// The latencies in nanoseconds, with two significant digits, so that many methods take little memory.
    var latencies: Histogram<UInt64>
    var calls: UInt64 = 0
    var errors: UInt64 = 0

    init(name: String) {
        self.name = name
        latencies = Histogram<UInt64>(
            lowestDiscernibleValue: 1000, highestTrackableValue: 3_600_000_000_000,
            numberOfSignificantValueDigits: .two)
        latencies.autoResize = true
    }

    /// Returns a percentile of the latencies, in microseconds.
    func latency(percentile: Double) -> Double {
        calls == 0 ? 0 : Double(latencies.valueAtPercentile(percentile)) / 1000
    }

    /// The calls, the errors, and two percentiles, as readable text.
    var cells: [String] {
        [calls, errors].map(DecimalText.grouped) + [50, 99].map { BenchReport.latency(latency(percentile: $0)) }
    }

    mutating func add(_ other: MethodMeasurement) {
        latencies.add(other.latencies)
        calls += other.calls
        errors += other.errors
    }
}

struct CallSample: Sendable {
    /// The latency in nanoseconds.
    var latency: UInt64
    /// The time of the end, in nanoseconds after the start of the run.
    var end: UInt64
    /// The index of the method in the workload.
    var method = 0
}

/// Collects the latencies and failures of a run.
///
/// A worker passes several calls at once, so that the lock does not distort the measurement.
package final class LatencyRecorder: Sendable {
    private let state: Mutex<Measurement>

    package init(methods: [String] = []) { state = Mutex(Measurement(methods: methods)) }

    /// Records calls that ended. `failure` is the failure of each; `nil` if they have a result. `delay` is the longest
    /// time between the intended and the actual start of the calls, in nanoseconds.
    func record(_ samples: [CallSample], _ failure: CallFailure? = nil, delay: UInt64 = 0) {
        guard !samples.isEmpty else { return }
        state.withLock { measurement in
            for sample in samples { Self.count(sample, failure, in: &measurement) }
            measurement.longestDelay = max(measurement.longestDelay, delay)
        }
    }

    /// Records calls that were not sent. `time` is the time in nanoseconds after the start of the run.
    func recordMissed(_ count: UInt64, at time: UInt64) {
        state.withLock { measurement in
            measurement.missed += count
            measurement.timeline.update(at: time) { $0.missed += count }
        }
    }

    func recordUnfinished(_ count: Int) {
        state.withLock { $0.unfinished += UInt64(max(0, count)) }
    }

    private static func count(_ sample: CallSample, _ failure: CallFailure?, in measurement: inout Measurement) {
        // A connection that is refused at once says nothing about the time of the method.
        let hasLatency = failure?.kind != .lost && failure?.kind != .couldNotConnect
        let isError = failure != nil
        measurement.calls += 1
        if let failure {
            measurement.errors[failure.kind, default: 0] += 1
            measurement.firstFailure = measurement.firstFailure ?? failure.message
        }
        if hasLatency { measurement.latencies.record(sample.latency) }
        measurement.timeline.update(at: sample.end) { interval in
            interval.calls += 1
            if isError { interval.errors += 1 }
            if failure?.kind.isAnswered == false { interval.unanswered += 1 }
            if hasLatency { interval.longest = max(interval.longest, sample.latency) }
        }
        guard measurement.methods.indices.contains(sample.method) else { return }
        measurement.methods[sample.method].calls += 1
        if isError { measurement.methods[sample.method].errors += 1 }
        if hasLatency { measurement.methods[sample.method].latencies.record(sample.latency) }
    }

    func measurement(began: Double, duration: Duration) -> Measurement {
        state.withLock { measurement in
            var copy = measurement
            copy.began = began
            copy.duration = duration
            // A time at the end in which no call ended belongs to the timeline.
            copy.timeline.update(at: duration.inNanoseconds) { _ in }
            return copy
        }
    }

    var liveFigures: LiveFigures {
        state.withLock { measurement in
            LiveFigures(
                answered: measurement.answered, errors: measurement.errorCount, missed: measurement.missed,
                median: measurement.latency(percentile: 50), p99: measurement.latency(percentile: 99))
        }
    }
}

struct LiveFigures: Sendable {
    var answered: UInt64 = 0
    var errors: UInt64 = 0
    var missed: UInt64 = 0
    /// The median latency in microseconds.
    var median = 0.0
    /// The 99th percentile of the latency in microseconds.
    var p99 = 0.0
}

extension Duration {
    /// The duration in whole nanoseconds; 0 if it is negative.
    var inNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds)) / 1_000_000_000
    }
}
