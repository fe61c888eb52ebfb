// swift-jsonrpc · SPDX-License-Identifier: MIT

import Histogram
import TestTurns
import Testing

@testable import LoadTester

@Suite(.inTurn) struct HistogramLogTests {
    private func histogram(_ values: [(UInt64, UInt64)]) -> Histogram<UInt64> {
        var histogram = Measurement().latencies
        for (value, count) in values { histogram.record(value, count: count) }
        return histogram
    }

    /// The expected bytes come from the Python implementation, `HdrHistogram(1, 3600000000000, 3)`.
    @Test func theEncodingIsThatOfTheReferenceImplementations() {
        let histogram = histogram([
            (1, 1), (2, 1), (1000, 5), (2047, 1), (2048, 2), (123_456, 300), (123_456_789, 1), (3_599_999_999_999, 1),
        ])
        let expected =
            "1c84931300000016000000000000000300000000000000010000034630b8a0003ff0000000000000"
            + "010202c90f0aab1002048f5ed804a19f0102dfec0102"
        #expect(hex(HistogramLog.encoded(histogram)) == expected)
    }

    @Test func anEmptyHistogramHasNoCounts() {
        #expect(HistogramLog.encoded(histogram([])).count == 40)
    }

    @Test(
        arguments: [
            (0, "00"), (1, "02"), (-1, "01"), (63, "7e"), (-64, "7f"), (64, "8001"), (300, "d804"),
            (.max, "feffffffffffffffff"), (.min, "ffffffffffffffffff"),
        ] as [(Int64, String)])
    func numbersTakeAtMostNineBytes(_ number: Int64, _ expected: String) {
        var bytes: [UInt8] = []
        HistogramLog.appendZigZag(number, to: &bytes)
        #expect(hex(bytes) == expected)
    }

    @Test func theLogHasTheHeaderAndOneInterval() throws {
        var measurement = Measurement()
        measurement.latencies = histogram([(2_000_000, 1)])
        measurement.duration = .seconds(1.5)
        let log = try HistogramLog.log(
            [BenchRun(measurement: measurement, began: 1_700_000_000.25)], comment: "one\ntwo")
        let lines = log.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 8)
        #expect(lines[0] == "#one")
        #expect(lines[1] == "#two")
        #expect(lines[2] == "#[Histogram log format version 1.3]")
        #expect(lines[3] == "#[StartTime: 1700000000.250 (seconds since epoch)]")
        #expect(lines[5] == "#[jsonrpc: calls=0 missed=0]")
        #expect(lines[6].hasPrefix("1700000000.250,1.500000,2.000,HISTFAAAA"))
        #expect(lines[7] == "")
    }
}

@Suite(.inTurn) struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"), ("\u{3FF}?", "z78/"),
    ])
    func encodesAsRFC4648(_ text: String, _ expected: String) {
        #expect(Base64.encode(Array(text.utf8)) == expected)
    }
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
