// swift-jsonrpc · SPDX-License-Identifier: MIT

import Histogram
import JSONRPCSession
import TestTurns
import Testing
import ToolSupport

@testable import LoadTester

/// Results with known figures.
enum BenchSamples {
    static var measurement: Measurement {
        var measurement = Measurement()
        for value in 1...1000 { measurement.latencies.record(UInt64(value) * 1000) }
        measurement.calls = 1000
        measurement.errors = [.timeout: 2, .errorObject: 1]
        measurement.firstFailure = "No answer came in time."
        measurement.duration = .milliseconds(500)
        return measurement
    }

    /// A run of calls with the same latency.
    static func run(latency microseconds: UInt64, calls: UInt64 = 1000, duration: Duration = .seconds(1)) -> BenchRun {
        var measurement = Measurement()
        measurement.latencies.record(microseconds * 1000, count: calls)
        measurement.calls = calls
        measurement.duration = duration
        return BenchRun(measurement: measurement, began: 1_700_000_000)
    }

    static func settings(route: String = "on 1 connection") -> BenchSettings {
        BenchSettings(target: "ws://h", methods: ["m"], concurrency: 4, route: route)
    }

    static func report(_ measurement: Measurement, _ settings: BenchSettings = settings()) -> BenchReport {
        BenchReport(
            result: BenchResult(settings: settings, runs: [BenchRun(measurement: measurement, began: 1_700_000_000)]))
    }
}

@Suite(.inTurn) struct BenchReportTests {
    @Test func theJSONBeginsWithTheFiguresOfAllRuns() throws {
        let json = try BenchSamples.report(BenchSamples.measurement).json()
        let figures = """
            "calls":1000,"errors":3,"seconds":0.500000,"calls_per_second":1996.0,\
            "latency_us":{"p50":500.223,"p90":900.095,"p99":990.207,"p999":999.423,"max":1000.000},\
            "missed":0,"longest_delay_us":0.000,"unfinished":0
            """
        #expect(
            json == """
                {\(figures),\
                "settings":{"target":"ws://h","methods":["m"],"load":"closed","connections":1,"concurrency":4},\
                "runs":[{\(figures)}],\
                "median":{"calls_per_second":1996.000,"p50":500.223,"p90":900.095,"p99":990.207,"p999":999.423,\
                "max":1000.000,"error_share":0.300,"missed_share":0.000},\
                "spread":{"calls_per_second":0.000,"p50":0.000,"p90":0.000,"p99":0.000,"p999":0.000,\
                "max":0.000,"error_share":0.000,"missed_share":0.000}}
                """)
    }

    @Test func anEmptyMeasurementIsAllZeros() throws {
        let json = try BenchSamples.report(Measurement()).json()
        #expect(
            json.hasPrefix(
                """
                {"calls":0,"errors":0,"seconds":0.000000,"calls_per_second":0.000,\
                "latency_us":{"p50":0.000,"p90":0.000,"p99":0.000,"p999":0.000,"max":0.000},"missed":0,
                """))
    }

    @Test func theTableShowsTheSame() {
        let table = BenchSamples.report(
            BenchSamples.measurement, BenchSamples.settings(route: "on 2 connections")
        ).table
        #expect(
            table == """
                calls       1 000
                errors      3 (error object: 1, timeout: 2)
                in flight   4 on 2 connections
                duration    0.500 s
                throughput  1 996 calls/s (higher is better)

                latency     (lower is better)
                                     p50         p90         p99       p99.9         max
                                  500 µs      900 µs      990 µs      999 µs        1 ms

                First error: No answer came in time.
                """)
    }

    @Test func severalRunsHaveTheirMedianAndSpread() {
        let result = BenchResult(
            settings: BenchSamples.settings(),
            runs: [
                BenchSamples.run(latency: 100), BenchSamples.run(latency: 300, duration: .seconds(2)),
                BenchSamples.run(latency: 200),
            ])
        #expect(result.summary(of: .callsPerSecond) == MetricSummary(median: 1000, spread: 500))
        #expect(result.total.calls == 3000)
        #expect(result.total.duration == .seconds(4))
        let table = BenchReport(result: result).table
        #expect(
            table.contains(
                """

                runs             calls/s         p50         p90         p99       p99.9         max
                1                  1 000      100 µs      100 µs      100 µs      100 µs      100 µs
                2                    500      300 µs      300 µs      300 µs      300 µs      300 µs
                3                  1 000      200 µs      200 µs      200 µs      200 µs      200 µs
                median             1 000      200 µs      200 µs      200 µs      200 µs      200 µs
                spread               500      200 µs      200 µs      200 µs      200 µs      200 µs
                """))
    }

    @Test func anOpenLoopReportsMissedCalls() throws {
        var settings = BenchSamples.settings()
        (settings.load, settings.concurrency, settings.rate, settings.maximumInFlight) = ("open", nil, "100..200", 10)
        (settings.duration, settings.warmUp) = (2, 0.25)
        var measurement = BenchSamples.measurement
        measurement.missed = 1234
        let report = BenchSamples.report(measurement, settings)
        #expect(report.table.contains("missed      1 234 (not sent"))
        #expect(report.table.contains("rate        100..200 calls/s on 1 connection, at most 10 in flight\n"))
        #expect(try report.json().contains(#""missed":1234"#))
        #expect(try report.json().contains(#""rate":"100..200","max_in_flight":10,"duration_s":2,"warm_up_s":0.25}"#))
    }

    @Test func theCSVHasALineForEachRun() {
        let result = BenchResult(
            settings: BenchSamples.settings(),
            runs: [BenchSamples.run(latency: 100), BenchSamples.run(latency: 300, duration: .seconds(2))])
        #expect(
            BenchReport(result: result).csv == """
                run,calls,errors,missed,seconds,calls_per_second,p50_us,p90_us,p99_us,p999_us,max_us,longest_delay_us,unfinished
                1,1000,0,0,1.000000,1000.0,100.000,100.000,100.000,100.000,100.000,0.000,0
                2,1000,0,0,2.000000,500.0,300.000,300.000,300.000,300.000,300.000,0.000,0
                """)
    }

    @Test(
        arguments: [
            (0, "0"), (0.5, "0.50 µs"), (7, "7 µs"), (52.31, "52.3 µs"), (523.1, "523 µs"), (1000, "1 ms"),
            (500_957.2, "501 ms"), (2_500_000, "2.50 s"), (90_000_000, "90 s"),
        ] as [(Double, String)])
    func timesHaveAUnitThatSuitsThem(_ microseconds: Double, _ text: String) {
        #expect(BenchReport.time(microseconds) == text)
        #expect(BenchMetric.p99.text(microseconds) == text)
    }

    @Test(arguments: [([], 0, 0), ([3], 3, 0), ([5, 1], 3, 4), ([9, 1, 2], 2, 8)] as [([Double], Double, Double)])
    func theMedianIsTheMiddle(_ values: [Double], _ median: Double, _ spread: Double) {
        #expect(MetricSummary(values) == MetricSummary(median: median, spread: spread))
    }
}
