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

    /// The timeline in a log: the width, then the figures of each interval.
    var logText: String {
        let parts = intervals.map { "\($0.calls)/\($0.errors)/\($0.unanswered)/\($0.missed)/\($0.longest)" }
        return "\(width):\(parts.joined(separator: ";"))"
    }

    /// Reads the timeline of a log; `nil` if the text is not a timeline.
    init?(logText: some StringProtocol) {
        let parts = logText.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = UInt64(parts[0]), (1_000_000...UInt64(1e18)).contains(width) else {
            return nil
        }
        let texts = parts[1].split(separator: ";", omittingEmptySubsequences: false)
        guard texts.count <= Self.maximumIntervals else { return nil }
        for text in texts {
            let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { UInt64($0) }
            // Smaller numbers cannot overflow a sum.
            guard numbers.count == 5, case let valid = numbers.compactMap(\.self).filter({ $0 <= 1 << 50 }),
                valid.count == 5
            else { return nil }
            intervals.append(
                Interval(calls: valid[0], errors: valid[1], unanswered: valid[2], missed: valid[3], longest: valid[4]))
        }
        self.width = width
    }

    init() {}

    var total: Interval { intervals.reduce(Interval(), +) }

    /// Returns the points of the throughput in answered calls per second. The time is the middle of each interval in
    /// seconds. `duration` is the length of the run in seconds, which cuts the last interval short.
    func throughput(duration: Double) -> [(seconds: Double, rate: Double)] {
        points(duration: duration) { interval, seconds in
            Double(interval.calls - min(interval.calls, interval.unanswered)) / seconds
        }
    }

    /// Returns the points of the longest latency, in microseconds; `nil` for an interval without a latency.
    func longest(duration: Double) -> [(seconds: Double, rate: Double?)] {
        points(duration: duration) { interval, _ in interval.longest == 0 ? nil : Double(interval.longest) / 1000 }
    }

    private func points<Value>(
        duration: Double, _ value: (Interval, _ seconds: Double) -> Value
    ) -> [(seconds: Double, rate: Value)] {
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
