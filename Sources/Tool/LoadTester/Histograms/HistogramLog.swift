// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials
import Histogram
import ToolSupport

/// Writes a histogram as an HdrHistogram log (format version 1.3, V2 compressed encoding) for the tools of
/// HdrHistogram.
///
/// The format: <https://github.com/HdrHistogram/HdrHistogram>, class `AbstractHistogram`, method
/// `encodeIntoCompressedByteBuffer`, and class `HistogramLogWriter`. The encoding needs zlib (RFC 1950) around the
/// counts.
package enum HistogramLog {
    /// The magic number of the V2 encoding, with its only word size.
    private static let countsCookie: UInt32 = 0x1C84_9303 | 0x10
    private static let compressedCookie: UInt32 = 0x1C84_9304 | 0x10

    package static func log(_ runs: [BenchRun], comment: String) throws -> String {
        let comments = comment.split(whereSeparator: \.isNewline).map { "#\($0)\n" }.joined()
        return try """
        \(comments)#[Histogram log format version 1.3]
        #[StartTime: \(decimal(runs.first?.began ?? 0)) (seconds since epoch)]
        "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
        \(runs.map(line).joined(separator: "\n"))

        """
    }

    private static func line(_ run: BenchRun) throws -> String {
        let histogram = run.measurement.latencies
        // The column for the maximum is in milliseconds, as in the default of `HistogramLogWriter`.
        let maximum = Double(histogram.maxRecorded) / 1_000_000
        // A short run can last less than a millisecond.
        let length = DecimalText.fixed(run.measurement.seconds, digits: 6)
        let columns = [decimal(run.began), length, decimal(maximum)]
        // Readers skip lines that begin with a number sign. `--merge` reads this one.
        let measurement = run.measurement
        let errors = measurement.errors.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { " errors.\($0.key.rawValue)=\($0.value)" }.joined()
        let timeline = measurement.timeline
        let course = timeline.intervals.isEmpty ? "" : " timeline=\(timeline.logText)"
        let unfinished = measurement.unfinished > 0 ? " unfinished=\(measurement.unfinished)" : ""
        let totals =
            "#[jsonrpc: calls=\(measurement.calls) missed=\(measurement.missed)\(unfinished)\(errors)\(course)]\n"
        return try totals + (columns + [Base64.encode(compressed(histogram))]).joined(separator: ",")
    }

    private static func decimal(_ value: Double) -> String {
        DecimalText.fixed(value, digits: 3)
    }

    static func compressed(_ histogram: Histogram<UInt64>) throws -> [UInt8] {
        let body = try Zlib.compressed(encoded(histogram))
        var bytes: [UInt8] = []
        append(compressedCookie, to: &bytes)
        append(UInt32(truncatingIfNeeded: body.count), to: &bytes)
        return bytes + body
    }

    /// Returns the uncompressed encoding: a header of 40 bytes, then the counts in the order of the values.
    static func encoded(_ histogram: Histogram<UInt64>) -> [UInt8] {
        let counts = encodedCounts(histogram)
        var bytes: [UInt8] = []
        append(countsCookie, to: &bytes)
        append(UInt32(truncatingIfNeeded: counts.count), to: &bytes)
        append(UInt32(0), to: &bytes)  // normalizing index offset
        append(UInt32(UInt8(bitPattern: histogram.numberOfSignificantValueDigits.rawValue)), to: &bytes)
        append(histogram.lowestDiscernibleValue, to: &bytes)
        append(histogram.highestTrackableValue, to: &bytes)
        append(Double(1).bitPattern, to: &bytes)  // integer to double conversion ratio
        return bytes + counts
    }

    /// Returns the counts up to the last that is not zero, each in ZigZag LEB128. A number `-n` means n zeros.
    private static func encodedCounts(_ histogram: Histogram<UInt64>) -> [UInt8] {
        var bytes: [UInt8] = []
        var zeros: Int64 = 0
        var rest = histogram.totalCount
        for bucket in histogram.allValues() where rest > 0 {
            guard bucket.count > 0 else {
                zeros += 1
                continue
            }
            if zeros > 0 { appendZigZag(-zeros, to: &bytes) }
            zeros = 0
            appendZigZag(Int64(clamping: bucket.count), to: &bytes)
            rest -= min(rest, bucket.count)
        }
        return bytes
    }

    /// Appends a number in at most nine bytes. Unlike in common LEB128, the ninth byte has eight bits of the number.
    static func appendZigZag(_ number: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: (number << 1) ^ (number >> 63))
        for _ in 0..<8 {
            if rest < 0x80 { break }
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// Base64 (RFC 4648 §4) with padding.
enum Base64 {
    static func encode(_ content: [UInt8]) -> String { Data(content).base64EncodedString() }

    /// Returns the content of a text with or without padding.
    static func decode(_ text: Substring) throws -> [UInt8] {
        let digits = text.prefix { $0 != "=" }
        let padding = String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
        guard text[digits.endIndex...].allSatisfy({ $0 == "=" }), let data = Data(base64Encoded: digits + padding)
        else { throw UsageError("The histogram is not Base64.") }
        return Array(data)
    }
}
