// swift-jsonrpc · SPDX-License-Identifier: MIT

import Histogram
import Synchronization

/// What a bench has seen.
struct Measurement: Sendable {
    /// From the moment a call is made to the moment its caller has the answer, in nanoseconds. Calls that timed out
    /// are in it with the time they waited; calls which were lost with the connection are not.
    var latencies: Histogram<UInt64>
    /// Calls that ended, however they did.
    var calls: UInt64 = 0
    /// Of those, the ones that ended without a result, by kind.
    var errors: [CallFailure.Kind: UInt64] = [:]
    /// The first failure's words, for a reader who wonders.
    var firstFailure: String?
    var duration: Duration = .zero

    init() {
        // One hour at nanosecond steps; beyond that it grows. The same layout each time, so that logs can be merged.
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

    /// Microseconds.
    func latency(percentile: Double) -> Double {
        calls == 0 ? 0 : Double(latencies.valueAtPercentile(percentile)) / 1000
    }

    var maximumLatency: Double { Double(latencies.maxRecorded) / 1000 }

    var status: CommandStatus {
        errors.keys.reduce(.success) {
            .worst($0, CallFailure(kind: $1, delivery: .outcomeUnknown, message: "").status)
        }
    }
}

/// Collects what the workers of a bench see. Each worker keeps a few latencies to itself and hands them over together,
/// so that the lock is no part of what is measured.
final class LatencyRecorder: Sendable {
    private let state = Mutex(Measurement())

    func record(_ nanoseconds: [UInt64]) {
        guard !nanoseconds.isEmpty else { return }
        state.withLock { measurement in
            measurement.calls += UInt64(nanoseconds.count)
            for value in nanoseconds { measurement.latencies.record(value) }
        }
    }

    /// A call that ended without a result; `nanoseconds` when its latency means something.
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
