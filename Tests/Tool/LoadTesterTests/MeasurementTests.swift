// swift-jsonrpc · SPDX-License-Identifier: MIT

import Histogram
import JSONRPCSession
import TestTurns
import Testing
import ToolSupport

@testable import LoadTester

@Suite(.inTurn) struct MeasurementTests {
    private func failure(_ kind: CallFailure.Kind) -> CallFailure {
        CallFailure(kind: kind, delivery: .outcomeUnknown, message: "")
    }

    /// If a server answers nothing, its throughput is zero.
    @Test func theThroughputLeavesOutCallsWithoutAnAnswer() {
        let recorder = LatencyRecorder()
        let sample = CallSample(latency: 1000, end: 1000)
        recorder.record([sample, sample, sample])
        for kind in [.errorObject, .timeout, .timeout, .lost, .couldNotConnect] as [CallFailure.Kind] {
            recorder.record([sample], failure(kind))
        }
        let measurement = recorder.measurement(began: 0, duration: .seconds(2))
        #expect(measurement.calls == 8)
        #expect(measurement.errorCount == 5)
        #expect(measurement.callsPerSecond == 2)
        #expect(measurement.timeline.throughput(duration: 2).first?.rate == 4 / 0.05)
    }

    @Test func aRefusedConnectionHasNoLatency() {
        let recorder = LatencyRecorder(methods: ["a", "b"])
        recorder.record([CallSample(latency: 9_000_000, end: 9_000_000)])
        for _ in 0..<9 { recorder.record([CallSample(latency: 1000, end: 1000)], failure(.couldNotConnect)) }
        let measurement = recorder.measurement(began: 0, duration: .seconds(1))
        #expect(measurement.latencies.totalCount == 1)
        #expect(measurement.methods[0].calls == 10)
        #expect(measurement.methods[0].latency(percentile: 50) > 8000)
    }

    @Test func theTimelineLastsUntilTheEndOfTheRun() throws {
        let recorder = LatencyRecorder()
        recorder.record([CallSample(latency: 1000, end: 10_000_000)])
        let timeline = recorder.measurement(began: 0, duration: .seconds(1)).timeline
        let last = try #require(timeline.throughput(duration: 1).last)
        #expect(last.rate == 0)
        #expect(last.seconds > 0.9)
    }

    @Test(arguments: [
        (1, 2, "0.50", "0.500"), (1, 30, "0.03", "0.033"), (33, 2, "16.5", "16.500"), (2001, 2, "1 001", "1000.5"),
    ])
    func lowThroughputHasDecimals(_ calls: UInt64, _ seconds: Int, _ text: String, _ number: String) throws {
        let run = BenchSamples.run(latency: 5, calls: calls, duration: .seconds(seconds))
        let report = BenchReport(result: BenchResult(settings: BenchSamples.settings(), runs: [run, run]))
        #expect(report.table.contains("\nthroughput  \(text) calls/s "), "\(report.table)")
        #expect(report.table.contains("\nmedian      \(String(repeating: " ", count: 12 - text.count))\(text) "))
        #expect(try report.json().contains(#""calls_per_second":\#(number),"#))
        #expect(BenchPage(result: report.result).html.contains(">\(text)</data>"))
    }
}
