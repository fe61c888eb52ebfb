// swift-jsonrpc · SPDX-License-Identifier: MIT

import Histogram
import ToolSupport

/// Reads HdrHistogram logs (format versions 1.2 and 1.3, V2 compressed encoding) of this tool and of other programs.
package struct HistogramLogReader {
    package struct Interval: Sendable {
        /// The start in seconds since 1970.
        var start: Double
        var seconds: Double
        var counts: [(value: UInt64, count: UInt64)]
        /// The number of calls, with those without a latency. Other programs do not write it.
        var calls: UInt64
        var errors: [CallFailure.Kind: UInt64] = [:]
        var missed: UInt64 = 0
        var unfinished: UInt64 = 0
        /// The course of the run. Other programs do not write it.
        var timeline: Timeline?
    }

    /// The largest number of calls of an interval, so that sums cannot overflow.
    private static let maximumCount: UInt64 = 1 << 40

    private var baseTime: Double?
    private var startTime: Double?
    /// The calls, errors and missed calls of the next interval.
    private var totals: [String: UInt64] = [:]
    private var timeline: Timeline?
    private var intervals: [Interval] = []

    package static func intervals(of bytes: [UInt8], named name: String) throws -> [Interval] {
        var reader = HistogramLogReader()
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            do {
                try reader.read(String(decoding: line, as: UTF8.self))
            } catch {
                throw UsageError("\(name), line \(index + 1): \(TerminalText.line("\(error)"))")
            }
        }
        guard reader.totals.isEmpty else {
            throw UsageError("\(name) ends before the histogram of its last run. Copy the whole file.")
        }
        guard !reader.intervals.isEmpty else {
            throw UsageError("\(name) has no interval. Write logs with 'jsonrpc bench --histogram FILE'.")
        }
        return reader.intervals
    }

    private mutating func read(_ text: String) throws {
        let line = text.filter { $0 != "\r" && $0 != "\r\n" }
        if line.hasPrefix("#[StartTime: ") {
            startTime = Self.number(line)
        } else if line.hasPrefix("#[BaseTime: ") {
            baseTime = Self.number(line)
        } else if line.hasPrefix("#[jsonrpc: ") {
            for word in line.dropFirst(11).dropLast().split(separator: " ") {
                let parts = word.split(separator: "=", maxSplits: 1)
                if parts.count == 2, let count = UInt64(parts[1]) { totals[String(parts[0])] = count }
                if parts.count == 2, parts[0] == "timeline" { timeline = Timeline(logText: parts[1]) }
            }
        } else if !line.isEmpty, !line.hasPrefix("#"), !line.hasPrefix("\"StartTimestamp\"") {
            intervals.append(try interval(line))
            (totals, timeline) = ([:], nil)
        }
    }

    /// Returns the number in a line such as `#[StartTime: 1.5 (seconds since epoch), …]`.
    private static func number(_ line: String) -> Double? {
        line.split(separator: " ").dropFirst().first.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    private func interval(_ line: String) throws -> Interval {
        var columns = line.split(separator: ",", omittingEmptySubsequences: false)
        if columns.first?.hasPrefix("Tag=") == true { columns.removeFirst() }
        guard columns.count == 4, let start = Double(columns[0]), let seconds = Double(columns[1]),
            (-1e12...1e12).contains(start), (0...1e9).contains(seconds)
        else { throw UsageError("Expected a start, a length, a maximum and a histogram, separated by commas.") }
        let counts = try Self.counts(of: Base64.decode(columns[3]))
        let total = try counts.reduce(UInt64(0)) { sum, entry in
            let (sum, overflow) = sum.addingReportingOverflow(entry.count)
            if overflow || sum > Self.maximumCount { throw UsageError("The counts are too large.") }
            return sum
        }
        // Starts can be relative to a base time. Without one, a small start is relative to the start of the log.
        let base = baseTime ?? startTime.flatMap { start < $0 - 31_536_000 ? $0 : nil } ?? 0
        func count(_ name: String) -> UInt64 { min(Self.maximumCount, totals[name] ?? 0) }
        var errors: [CallFailure.Kind: UInt64] = [:]
        for kind in CallFailure.Kind.allCases where count("errors.\(kind.rawValue)") > 0 {
            errors[kind] = count("errors.\(kind.rawValue)")
        }
        let calls = max(total, count("calls"), errors.values.reduce(0, +))
        var interval = Interval(
            start: base + start, seconds: seconds, counts: counts, calls: calls, errors: errors, missed: count("missed")
        )
        interval.unfinished = count("unfinished")
        if let timeline, timeline.matches(interval) { interval.timeline = timeline }
        return interval
    }

    // MARK: Encoding

    /// The largest number of bytes of an uncompressed histogram. One with five digits has less.
    private static let maximumBytes = 32 << 20

    /// Returns the values of the compressed encoding that have a count. Each is the highest of its bucket.
    static func counts(of compressed: [UInt8]) throws -> [(value: UInt64, count: UInt64)] {
        guard compressed.count > 8, bigEndian(compressed[0..<4]) & ~0xF0 == 0x1C84_9304 & ~0xF0 else {
            throw UsageError("The histogram is not in the V2 compressed encoding.")
        }
        let length = Int(bigEndian(compressed[4..<8]))
        guard length <= compressed.count - 8 else { throw UsageError("The histogram ends early.") }
        let bytes = try Zlib.content(of: Array(compressed[8..<(8 + length)]), limit: maximumBytes)
        guard bytes.count >= 40, bigEndian(bytes[0..<4]) & ~0xF0 == 0x1C84_9303 & ~0xF0 else {
            throw UsageError("The histogram is not in the V2 encoding.")
        }
        let payload = Int(bigEndian(bytes[4..<8]))
        guard payload <= bytes.count - 40 else { throw UsageError("The histogram ends early.") }
        let (digits, lowest) = (bigEndian(bytes[12..<16]), bigEndian(bytes[16..<24]))
        guard (0...5).contains(digits), (1...(1 << 40)).contains(lowest), bigEndian(bytes[8..<12]) == 0 else {
            throw UsageError("The header of the histogram is invalid.")
        }
        return try counts(bytes[40..<(40 + payload)], Layout(digits: Int(digits), lowest: lowest))
    }

    private static func counts(
        _ bytes: ArraySlice<UInt8>, _ layout: Layout
    ) throws -> [(value: UInt64, count: UInt64)] {
        var rest = bytes
        var index: Int64 = 0
        var counts: [(value: UInt64, count: UInt64)] = []
        // A few compressed bytes can have millions of counts. Those that fall on one value of a report are joined.
        let report = Measurement().latencies
        var end: UInt64 = 0
        while !rest.isEmpty {
            let number = try zigZag(&rest)
            if number > 0 {
                guard let value = layout.highestValue(at: index) else { throw UsageError("A value is too large.") }
                if let last = counts.last, value <= end {
                    let (sum, overflow) = last.count.addingReportingOverflow(UInt64(number))
                    if overflow { throw UsageError("The counts are too large.") }
                    counts[counts.count - 1] = (value, sum)
                } else {
                    counts.append((value, UInt64(number)))
                    end = report.highestEquivalentForValue(value)
                }
            }
            // A number -n means n zeros.
            let (next, overflow) = index.subtractingReportingOverflow(number < 0 ? number : -1)
            if overflow || next > 1 << 32 { throw UsageError("A value is too large.") }
            index = next
        }
        return counts
    }

    /// Removes a number that ``HistogramLog/appendZigZag(_:to:)`` has written.
    static func zigZag(_ bytes: inout ArraySlice<UInt8>) throws -> Int64 {
        var bits: UInt64 = 0
        for index in 0..<9 {
            guard let byte = bytes.popFirst() else { throw UsageError("The histogram ends in a number.") }
            bits |= UInt64(index == 8 ? byte : byte & 0x7F) << UInt64(7 * index)
            if byte < 0x80 { break }
        }
        return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }

    private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The relation between the indexes of counts and values.
    private struct Layout {
        /// The binary logarithm of half the number of values in a bucket.
        var halfMagnitude: Int
        /// The binary logarithm of the smallest unit.
        var unitMagnitude: Int

        init(digits: Int, lowest: UInt64) {
            var largest: UInt64 = 2
            for _ in 0..<digits { largest *= 10 }
            halfMagnitude = 64 - (largest - 1).leadingZeroBitCount - 1
            unitMagnitude = 63 - lowest.leadingZeroBitCount
        }

        /// Returns the highest value that is counted at an index; `nil` if it does not fit.
        func highestValue(at index: Int64) -> UInt64? {
            let half: Int64 = 1 << Int64(halfMagnitude)
            var bucket = index >> Int64(halfMagnitude) - 1
            var position = index & (half - 1) + half
            if bucket < 0 { (bucket, position) = (0, position - half) }
            let shift = Int(bucket) + unitMagnitude
            // 2^56 ns are two years.
            guard shift + halfMagnitude + 1 <= 56 else { return nil }
            return (UInt64(position) + 1) << UInt64(shift) - 1
        }
    }
}

extension BenchResult {
    /// Makes one result of several logs. The throughput is that of the time that any of the logs covers. Throws
    /// ``UsageError`` if the sum of all latencies is more than 146 years, or the number of calls more than 2^45.
    package init(merging logs: [(name: String, intervals: [HistogramLogReader.Interval])]) throws {
        let all = logs.flatMap(\.intervals)
        // Percentiles are computed with numbers of 53 bits, which cannot count further.
        guard all.reduce(0.0, { $0 + Double($1.calls) }) <= 0x1p45 else {
            throw UsageError("Could not merge the logs: they have more than 35 trillion calls.")
        }
        // The iterators of the histogram add up all values, and trap if the sum overflows.
        let sum = all.flatMap(\.counts).reduce(0.0) { $0 + Double($1.value) * Double($1.count) }
        guard sum < 0x1p62 else {
            throw UsageError("Could not merge the logs: the sum of their latencies is more than 146 years.")
        }
        let start = all.map(\.start).min() ?? 0
        let runs = logs.map { log in
            BenchRun(merging: log.intervals, from: start, name: log.name)
        }
        var settings = BenchSettings(load: "merged")
        settings.connections = logs.count
        self.init(settings: settings, runs: runs)
        let overall = BenchRun(merging: all, from: start, name: "all logs")
        total = overall.measurement
        if logs.count > 1 { self.overall = overall }
    }
}

extension BenchRun {
    /// - Parameter start: The start of the first of all logs, in seconds since 1970.
    fileprivate init(merging intervals: [HistogramLogReader.Interval], from start: Double, name: String) {
        var measurement = Measurement()
        for interval in intervals {
            for (value, count) in interval.counts { measurement.latencies.record(value, count: count) }
            measurement.calls += interval.calls
            measurement.errors.merge(interval.errors, uniquingKeysWith: +)
            measurement.missed += interval.missed
            measurement.unfinished += interval.unfinished
            let end = measurement.timeline.add(interval, from: start)
            measurement.timelineEnd = max(measurement.timelineEnd ?? 0, end)
        }
        measurement.duration = .seconds(Self.coveredSeconds(intervals))
        self.init(measurement: measurement, began: intervals.map(\.start).min() ?? start, name: name)
    }

    /// Returns the time that at least one of the intervals covers.
    private static func coveredSeconds(_ intervals: [HistogramLogReader.Interval]) -> Double {
        var (covered, end) = (0.0, -Double.infinity)
        for interval in intervals.sorted(by: { $0.start < $1.start }) {
            let intervalEnd = interval.start + interval.seconds
            if intervalEnd > end { covered += intervalEnd - max(interval.start, end) }
            end = max(end, intervalEnd)
        }
        return covered
    }
}

extension Timeline {
    /// Adds the calls of an interval evenly over its time.
    ///
    /// - Parameter start: The start of the timeline, in seconds since 1970.
    /// - Returns: The end of the interval, in seconds after the start of the timeline.
    fileprivate mutating func add(_ interval: HistogramLogReader.Interval, from start: Double) -> Double {
        let begin = min(1e9, max(0, interval.start - start))
        let end = begin + max(interval.seconds, 0.001)
        update(at: UInt64(end * 1e9)) { _ in }
        guard let course = interval.timeline else {
            let unanswered = interval.errors.filter { !$0.key.isAnswered }.values.reduce(0, +)
            let whole = Interval(
                calls: interval.calls, errors: interval.errors.values.reduce(0, +), unanswered: unanswered,
                missed: interval.missed, longest: interval.counts.last?.value ?? 0)
            add(whole, from: begin, to: end)
            return end
        }
        let width = Double(course.width) / 1e9
        for (index, part) in course.intervals.enumerated() {
            // A call can end slightly after the time of the run.
            let partBegin = min(begin + Double(index) * width, end - 0.0005)
            add(part, from: partBegin, to: min(partBegin + width, end))
        }
        return end
    }

    /// Returns whether the timeline has the calls of an interval, so that charts and figures agree.
    fileprivate func matches(_ interval: HistogramLogReader.Interval) -> Bool {
        let total = total
        return total.calls == interval.calls && total.missed == interval.missed
            && total.errors == interval.errors.values.reduce(0, +) && total.unanswered <= total.errors
    }

    /// Adds calls evenly over a time in seconds, which lies within the timeline.
    private mutating func add(_ whole: Interval, from begin: Double, to end: Double) {
        let width = Double(width) / 1e9
        var before = 0.0
        var index = (begin / width).rounded(.down)
        while index * width < end {
            // Whole numbers up to each end, so that nothing is lost to rounding.
            let share = min(1, ((index + 1) * width - begin) / (end - begin))
            func part(_ count: UInt64) -> UInt64 { UInt64(Double(count) * share) - UInt64(Double(count) * before) }
            update(at: UInt64(index) * self.width) {
                $0.calls += part(whole.calls)
                $0.errors += part(whole.errors)
                $0.unanswered += part(whole.unanswered)
                $0.missed += part(whole.missed)
                $0.longest = max($0.longest, whole.longest)
            }
            before = share
            index += 1
        }
    }
}
