// swift-jsonrpc · SPDX-License-Identifier: MIT

import Histogram
import Synchronization

/// The result of a benchmark run.
struct Measurement: Sendable {
    /// The latencies in nanoseconds, from the start of a call until its caller has the response.
    ///
    /// A call that timed out counts with the time that it waited. A call that was lost with the connection does not
    /// count.
    var latencies: Histogram<UInt64>
    /// The number of calls that ended, with or without a result.
    var calls: UInt64 = 0
    /// The number of calls that ended without a result, by kind.
    var errors: [CallFailure.Kind: UInt64] = [:]
    /// The message of the first failure.
    var firstFailure: String?
    var duration: Duration = .zero

    init() {
        // Up to one hour in steps of a nanosecond; it grows for larger values. The layout is fixed, so that logs can be
        // merged.
        latencies = Histogram<UInt64>(
            lowestDiscernibleValue: 1, highestTrackableValue: 3_600_000_000_000,
            numberOfSignificantValueDigits: .three)
        latencies.autoResize = true
    }

    var errorCount: UInt64 { errors.values.reduce(0, +) }

    var seconds: Double {
        let (whole, fraction) = duration.components
        return Double(whole) + Double(fraction) / 1e18
    }

    var callsPerSecond: Double { seconds > 0 ? Double(calls) / seconds : 0 }

    /// Returns a percentile of the latencies, in microseconds.
    func latency(percentile: Double) -> Double {
        calls == 0 ? 0 : Double(latencies.valueAtPercentile(percentile)) / 1000
    }

    /// The maximum of the latencies, in microseconds.
    var maximumLatency: Double { Double(latencies.maxRecorded) / 1000 }

    var status: CommandStatus {
        errors.keys.reduce(.success) {
            .worst($0, CallFailure(kind: $1, delivery: .outcomeUnknown, message: "").status)
        }
    }
}

/// Collects the latencies and failures of the workers.
///
/// A worker passes several latencies at once, so that the lock does not distort the measurement.
final class LatencyRecorder: Sendable {
    private let state = Mutex(Measurement())

    func record(_ nanoseconds: [UInt64]) {
        guard !nanoseconds.isEmpty else { return }
        state.withLock { measurement in
            measurement.calls += UInt64(nanoseconds.count)
            for value in nanoseconds { measurement.latencies.record(value) }
        }
    }

    /// Records a call that ended without a result. `nanoseconds` is its latency; `nil` if it must not count.
    func record(_ failure: CallFailure, nanoseconds: UInt64?) {
        state.withLock { measurement in
            measurement.calls += 1
            measurement.errors[failure.kind, default: 0] += 1
            if measurement.firstFailure == nil { measurement.firstFailure = failure.message }
            if let nanoseconds { measurement.latencies.record(nanoseconds) }
        }
    }

    func measurement(duration: Duration) -> Measurement {
        state.withLock { measurement in
            var copy = measurement
            copy.duration = duration
            return copy
        }
    }
}
