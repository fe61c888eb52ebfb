// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The calls of a run in intervals of equal length.
///
/// The memory is bounded: when a run outgrows ``maximumIntervals``, pairs of intervals become one.
struct Timeline: Equatable, Sendable {
    struct Interval: Equatable, Sendable {
        /// The number of calls that ended in the interval, with or without a result.
        var calls: UInt64 = 0
        /// The number of calls that ended without a result.
        var errors: UInt64 = 0
        /// The number of calls that ended without an answer, such as timeouts.
        var unanswered: UInt64 = 0
        /// The number of calls that were not sent.
        var missed: UInt64 = 0
        /// The longest latency of the calls that ended in the interval, in nanoseconds.
        var longest: UInt64 = 0

        static func + (left: Interval, right: Interval) -> Interval {
            Interval(
                calls: left.calls + right.calls, errors: left.errors + right.errors,
                unanswered: left.unanswered + right.unanswered, missed: left.missed + right.missed,
                longest: max(left.longest, right.longest))
        }
    }

    static let maximumIntervals = 200

    /// The length of an interval in nanoseconds.
    private(set) var width: UInt64 = 50_000_000
    private(set) var intervals: [Interval] = []

    /// Changes the interval at a time, in nanoseconds after the start of the run.
    mutating func update(at time: UInt64, _ change: (inout Interval) -> Void) {
        while time / width >= UInt64(Self.maximumIntervals) { doubleTheWidth() }
        let index = Int(time / width)
        while intervals.count <= index { intervals.append(Interval()) }
        change(&intervals[index])
    }

    private mutating func doubleTheWidth() {
        width *= 2
        intervals = stride(from: 0, to: intervals.count, by: 2).map { index in
            index + 1 < intervals.count ? intervals[index] + intervals[index + 1] : intervals[index]
        }
    }

    /// Returns the points of the throughput in calls per second. The time is the middle of each interval in seconds.
    ///
    /// - Parameter duration: The length of the run in seconds, which cuts the last interval short.
    func throughput(duration: Double) -> [(seconds: Double, rate: Double)] {
        points(duration: duration) { interval, seconds in
            Double(interval.calls - min(interval.calls, interval.unanswered)) / seconds
        }
    }

    /// Returns the points of the longest latency, in microseconds.
    func longest(duration: Double) -> [(seconds: Double, rate: Double)] {
        points(duration: duration) { interval, _ in Double(interval.longest) / 1000 }
    }

    private func points(
        duration: Double, _ value: (Interval, _ seconds: Double) -> Double
    ) -> [(seconds: Double, rate: Double)] {
        let seconds = Double(width) / 1e9
        return intervals.indices.compactMap { index in
            let begin = Double(index) * seconds
            let length = min(seconds, duration - begin)
            // The rest of the run is too short for a rate.
            guard length > seconds / 4 || intervals.count == 1 else { return nil }
            return (begin + max(length, 1e-9) / 2, value(intervals[index], max(length, 1e-9)))
        }
    }
}
