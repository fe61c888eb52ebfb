// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Histogram
import TestTurns
import Testing
import ToolSupport

@testable import LoadTester

@Suite(.inTurn) struct HistogramLogReaderTests {
    private func read(_ text: String) throws -> [HistogramLogReader.Interval] {
        try HistogramLogReader.intervals(of: Array(text.utf8), named: "x.hlog")
    }

    private func run(
        _ values: [(UInt64, UInt64)], began: Double = 1_700_000_000, seconds: Double = 1, errors: UInt64 = 0
    ) -> BenchRun {
        var measurement = Measurement()
        for (value, count) in values {
            measurement.latencies.record(value, count: count)
            measurement.calls += count
        }
        if errors > 0 { measurement.errors = [.timeout: errors] }
        measurement.missed = 2
        measurement.duration = .seconds(seconds)
        return BenchRun(measurement: measurement, began: began)
    }

    @Test func aLogIsReadAsItWasWritten() throws {
        let values: [(UInt64, UInt64)] = [
            (1, 1), (1000, 5), (2047, 1), (2048, 2), (123_456, 300), (123_456_789, 1), (3_599_999_999_999, 1),
        ]
        let runs = [run(values, errors: 3), run([(5, 1)], began: 1_700_000_100.5, seconds: 2.5)]
        let intervals = try read(HistogramLog.log(runs, comment: "c"))
        #expect(intervals.count == 2)
        #expect(intervals.map(\.start) == [1_700_000_000, 1_700_000_100.5])
        #expect(intervals.map(\.seconds) == [1, 2.5])
        #expect(intervals.map(\.calls) == [311, 1])
        #expect(intervals[0].errors == [.timeout: 3])
        #expect(intervals[1].errors == [:])
        #expect(intervals[0].missed == 2)
        var histogram = Measurement().latencies
        for (value, count) in intervals[0].counts { histogram.record(value, count: count) }
        #expect(HistogramLog.encoded(histogram) == HistogramLog.encoded(runs[0].measurement.latencies))
    }

    /// A histogram as other programs write it, compressed with deflate: 1000 ns 5 times, 2047 ns 7 times.
    @Test func compressedDataIsRead() throws {
        let histogram =
            "HISTFAAAACd42pNpmSzMwMDAxgABzFCaEch0M9ixgMH+A0TgPD/XagE+AHBh"
            + "BgI="
        let interval = try #require(try read("1700000000,1.5,0.002,\(histogram)").first)
        #expect(interval.counts.map(\.value) == [1000, 2047])
        #expect(interval.counts.map(\.count) == [5, 7])
        #expect(interval.calls == 12)
    }

    @Test(arguments: [
        ("x,1,1,AAAA", "line 1: Expected a start"), ("1,1,1", "line 1: Expected a start"),
        ("1,nan,1,AAAA", "line 1: Expected"), ("1,-1,1,AAAA", "line 1: Expected"),
        ("1e300,1,1,AAAA", "line 1: Expected"),
        ("#c\n1,1,1,!!!!", "line 2: The histogram is not Base64."),
        ("1,1,1,AAAA", "line 1: The histogram is not in the V2"),
        ("1,1,1,HISTFAAAAAA", "line 1: The histogram"),
        ("1,1,1,HISTFAAAABB4AQAAAAA", "line 1: The histogram ends early."),
        ("", "x.hlog has no interval."), ("#[StartTime: 1]\n", "x.hlog has no interval."),
    ])
    func malformedLogsAreRefused(_ text: String, _ message: String) {
        #expect { _ = try read(text) } throws: {
            ($0 as? UsageError)?.description.contains(message) == true
        }
    }

    /// Every prefix and every changed byte is refused or read, and never causes a crash.
    @Test func changedBytesNeverCrash() throws {
        var measurement = Measurement()
        for value in stride(from: UInt64(1), to: 100_000, by: 3001) {
            measurement.latencies.record(value, count: value)
        }
        let bytes = try HistogramLog.compressed(measurement.latencies)
        for length in 0..<bytes.count {
            #expect(throws: (any Error).self) { _ = try HistogramLogReader.counts(of: Array(bytes[..<length])) }
        }
        var body = HistogramLog.encoded(measurement.latencies)
        var refused = 0
        for index in body.indices {
            for change: UInt8 in [0x01, 0xFF] {
                body[index] ^= change
                // The checksum is right, so that the change reaches the reader.
                let wrapped = try Array(bytes[..<8]) + Zlib.compressed(body)
                let line = "1700000000,1,1,\(Base64.encode(wrapped))"
                if let intervals = try? read("\(line)\n\(line)"),
                    let result = try? BenchResult(merging: [("a", intervals), ("b", intervals)])
                {
                    // The page takes most of the time.
                    if index % 20 == 0 { #expect(!BenchPage(result: result).html.contains("nan")) }
                } else {
                    refused += 1
                }
                body[index] ^= change
            }
        }
        #expect(refused > 0)
    }

    @Test func aShortRunKeepsItsLength() throws {
        let log = try HistogramLog.log([run([(5, 1)], seconds: 0.0004)], comment: "")
        let result = try BenchResult(merging: [("one", try read(log))])
        #expect(abs(result.total.callsPerSecond - 2500) < 1)
    }

    /// With more calls than a `Double` can count, percentiles would never end.
    @Test func moreCallsThanCanBeCountedAreRefused() {
        let counts: [(value: UInt64, count: UInt64)] = [(0, 1 << 40)]
        let interval = HistogramLogReader.Interval(start: 0, seconds: 1, counts: counts, calls: 1 << 40)
        #expect(throws: UsageError.self) {
            try BenchResult(merging: [("x", Array(repeating: interval, count: 33))])
        }
    }

    /// The calls of a run from its recorder: 10 in the first interval of 50 ms, 30 in the last.
    private var unevenRun: BenchRun {
        let recorder = LatencyRecorder()
        for _ in 0..<10 { recorder.record([CallSample(latency: 1000, end: 10_000_000)]) }
        for _ in 0..<30 { recorder.record([CallSample(latency: 2000, end: 1_960_000_000)]) }
        recorder.recordMissed(7, at: 1_000_000_000)
        recorder.recordUnfinished(3)
        let measurement = recorder.measurement(began: 1_700_000_000, duration: .seconds(2))
        return BenchRun(measurement: measurement, began: measurement.began)
    }

    @Test func aLogKeepsTheCourseOfARun() throws {
        let log = try read(HistogramLog.log([unevenRun], comment: ""))
        let measurement = try #require(try BenchResult(merging: [("a", log)]).runs.first?.measurement)
        #expect(measurement.unfinished == 3)
        let intervals = measurement.timeline.intervals
        #expect(intervals.first?.calls == 10)
        #expect(intervals[39].calls == 30)
        #expect(intervals[20].missed == 7)
        #expect(intervals.first?.longest == 1000)
        #expect(intervals.reduce(0) { $0 + $1.calls } == 40)
        // Two machines, the second 25 ms later.
        var later = unevenRun
        later.began += 0.025
        let other = try read(HistogramLog.log([later], comment: ""))
        let both = try #require(try BenchResult(merging: [("a", log), ("b", other)]).overall).measurement.timeline
        // A log has its start in milliseconds, and calls are whole.
        #expect((14...16).contains(both.intervals[0].calls))
        #expect(both.intervals[0].calls + both.intervals[1].calls == 20)
        #expect(both.intervals.reduce(0) { $0 + $1.calls } == 80)
    }

    /// The timeline must have the calls of the histogram. Otherwise, the calls are spread evenly.
    @Test(arguments: [
        "", "x", "0:10/0/0/0/1", "1:40/0/0/7/1", "50000000:", "50000000:39/0/0/7/1", "50000000:40/0/0/7",
        "50000000:40/0/0/7/1/1", "50000000:-1/0/0/7/1", "99999999999999999999:40/0/0/7/1",
        "50000000:18446744073709551615/0/0/7/1;41/0/0/0/1", "50000000:40/0/0/8/1",
        "18446744073709551615:20/0/0/0/1;20/0/0/7/1",
    ])
    func aWrongCourseIsIgnored(_ course: String) throws {
        let text = try HistogramLog.log([unevenRun], comment: "")
        let changed = text.replacing(/timeline=[^ \]]*/, with: "timeline=\(course)")
        let result = try BenchResult(merging: [("a", try read(changed))])
        let intervals = try #require(result.runs.first).measurement.timeline.intervals
        #expect(intervals.count == 41)
        #expect(intervals.allSatisfy { $0.calls <= 1 })
        #expect(intervals.reduce(0) { $0 + $1.missed } == 7)
    }

    @Test func aLogThatEndsBeforeARunIsRefused() throws {
        let text = try HistogramLog.log([run([(5, 1)]), run([(6, 1)])], comment: "")
        let lines = text.split(separator: "\n")
        #expect { _ = try read(lines.dropLast().joined(separator: "\n")) } throws: {
            ($0 as? UsageError)?.description.contains("x.hlog ends before the histogram of its last run.") == true
        }
    }

    @Test func errorsAreNeverMoreThanCalls() throws {
        let text = try HistogramLog.log([run([(5, 1)])], comment: "")
        let interval = try #require(try read(text.replacing("missed=2", with: "missed=2 errors.lost=9")).first)
        #expect(interval.calls == 9)
    }

    /// A few bytes can expand to millions of counts. Counts that fall on one value of a report need one entry.
    @Test func countsOfFineHistogramsAreJoined() throws {
        let counts = [UInt8](repeating: 2, count: 1_000_000)
        var header: [UInt8] = []
        for number in [0x1C84_9313, UInt32(counts.count), 0, 5] {
            withUnsafeBytes(of: number.bigEndian) { header += $0 }
        }
        for number: UInt64 in [1, 3_600_000_000_000, Double(1).bitPattern] {
            withUnsafeBytes(of: number.bigEndian) { header += $0 }
        }
        let body = try Zlib.compressed(header + counts)
        var bytes: [UInt8] = []
        for number in [0x1C84_9314, UInt32(body.count)] { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
        let joined = try HistogramLogReader.counts(of: bytes + body)
        #expect(joined.reduce(0) { $0 + $1.count } == 1_000_000)
        #expect(joined.count < 20_000)
        // The largest value stays exact.
        #expect(joined.last?.value == 13_668_351)
    }

    @Test func timesCanBeRelative() throws {
        let line = try HistogramLog.log([run([(5, 1)], began: 7)], comment: "").split(separator: "\n").last ?? ""
        #expect(try read("#[StartTime: 1700000000.5 (seconds since epoch)]\n\(line)")[0].start == 1_700_000_007.5)
        #expect(try read("#[BaseTime: 100.25 (seconds since epoch)]\nTag=a,\(line)\r\n")[0].start == 107.25)
    }

    @Test func mergedLogsHaveTheThroughputOfTheirTime() throws {
        // Two machines at the same time, then a gap, then one of them again.
        let one = try read(
            HistogramLog.log(
                [run([(1000, 100)], began: 1000, seconds: 10, errors: 4), run([(3000, 60)], began: 1100, seconds: 10)],
                comment: ""))
        let two = try read(HistogramLog.log([run([(2000, 240)], began: 1005, seconds: 15)], comment: ""))
        let result = try BenchResult(merging: [("one", one), ("two", two)])
        #expect(result.total.calls == 400)
        #expect(result.total.duration == .seconds(30))
        #expect(result.total.missed == 6)
        #expect(result.total.errors == [.timeout: 4])
        #expect(result.total.latencies.totalCount == 400)
        #expect(result.runs.map(\.measurement.calls) == [160, 240])
        #expect(result.runs.map(\.measurement.seconds) == [20, 15])
        #expect(result.overall?.measurement.timeline.intervals.reduce(0) { $0 + $1.calls } == 400)
        #expect(result.total.timelineSeconds == 110)
        let report = BenchReport(result: result)
        #expect(report.table.contains("logs        2\n"))
        #expect(report.table.contains("missed      6"))
        #expect(report.csv.split(separator: "\n").count == 3)
    }
}

@Suite(.inTurn) struct ZlibTests {
    @Test func contentIsReadAsItWasCompressed() throws {
        for (_, content) in ZlibSamples.all {
            #expect(try Zlib.content(of: Zlib.compressed(content), limit: content.count) == content)
        }
    }

    @Test func anErrorSaysWhatIsWrongWithTheData() {
        for (hex, message) in [
            ("789c", "The zlib data ends early."), ("ffff", "The zlib data is malformed: incorrect header check."),
            ("789c030000000002", "The zlib data is malformed: incorrect data check."),
            ("", "The zlib data ends early."),
        ] {
            #expect {
                _ = try Zlib.content(of: unhex(hex), limit: 1)
            } throws: {
                ($0 as? UsageError)?.description == message
            }
        }
    }

    /// The data comes from Python's `zlib.compress`.
    @Test func allKindsOfBlocksAreRead() throws {
        for (hex, expected) in ZlibSamples.all {
            let content = try Zlib.content(of: unhex(hex), limit: 1 << 20)
            #expect(content == expected)
        }
    }

    @Test func malformedDataIsRefused() {
        for (hex, _) in ZlibSamples.all {
            let bytes = unhex(hex)
            for length in 0..<bytes.count {
                #expect(throws: UsageError.self) {
                    _ = try Zlib.content(of: Array(bytes[..<length]), limit: 1 << 20)
                }
            }
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 0x10
                // A change of the window size or of unused bits has no effect; any other is detected.
                if index > 1, index < bytes.count - 5 {
                    let content = try? Zlib.content(of: changed, limit: 1 << 20)
                    #expect(content == nil || content?.isEmpty == false)
                }
            }
        }
    }

    @Test func theContentHasALimit() {
        for (hex, expected) in ZlibSamples.all where !expected.isEmpty {
            #expect(throws: UsageError.self) {
                _ = try Zlib.content(of: unhex(hex), limit: expected.count - 1)
            }
        }
    }
}

/// Returns the bytes of hexadecimal digits.
func unhex(_ text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
}

enum ZlibSamples {
    /// Letters from a to g, almost without repetitions.
    private static let letters: [UInt8] = {
        var state: UInt32 = 1
        return (0..<600).map { _ in
            state = (state &* 1_103_515_245 &+ 12345) & 0x7FFF_FFFF
            return UInt8(ascii: "a") + UInt8((state >> 16) % 7)
        }
    }()

    static let all: [(hex: String, content: [UInt8])] = [
        (
            "7801010600f9ff73746f726564093c0292",
            Array("stored".utf8)
        ),
        (
            "789c030000000001",
            []
        ),
        (
            "78014b4c4a4e1c45c42100884d72d9",
            Array(String(repeating: "abc", count: 100).utf8)
        ),
        (
            "78da25928911c43008036b0524e8bf83ac9cbbcc24b6411f96b7effa6af7f6dcdd35c3f25437768f7236776bd6"
                + "bdbba51a6db3a5594abbe9f3556daf46b51e97eb68aa3255db4da5bb0a94955665dddb04021c183ddb724b9dba"
                + "1632d8b872c44522f016a468114251753e576ae7a60470e9bc0101aee2a724b9d4e92c4ff41f7ea6a631c103e5"
                + "456899ea413d0a2faa69f1c6101d78986b4c377c503599609336511469d13c59b53932429cbca045a78ef67d09"
                + "4254b8533881e938078dbe247f03b665f2523e412168e31b09bc481aa186979237844660cfd644624460130190"
                + "2e6648099ecd04808567c3a209afd2b4ca9f777ea898fe736578621e54550098af92af896892337b5c0f4c110a"
                + "4719f8bccbc343a7df6df8004a47ea93",
            letters
        ),
        (
            "780105c10101000008c2b0ac20f0fe0ddcd2198c36466debce88886b7d31dac1cad5db145de683dcced8a3459a"
                + "978bd6ab2a764885cccead96604b1635d8b9913bd05d6f4e9db8961c5b73500dee8cb4c6877661c4502ac9394e"
                + "d9a2d0a5ce5da50d25a9e235568fabb9f87456a4c82962a76edc720290eab5d3bc1a95c3d1998a937db9885dda"
                + "cdc8b5eed2ba976b94c2ba8638706c07db499682986c83cebed6a3e64e6e9a3977b2525daa15b59af1a965d74c"
                + "d1c5f37cd3a99c6bc5ba1cf16e6188ad1037f66dd4391b329d9665396ddbae3d8f1854a53788c4662fcad67197"
                + "2d6c22c71c2dd27a3746479596163d4a47ea93",
            letters
        ),
        (
            "78daedc13101000000c2a0f54f6d094fa000000000000000000000000000000000000000000000000000000000"
                + "00000000000000000000000000000000000000000000000000000000000000000000000000000080b701117f00"
                + "01",
            [UInt8](repeating: 0, count: 70_000)
        ),
    ]
}
