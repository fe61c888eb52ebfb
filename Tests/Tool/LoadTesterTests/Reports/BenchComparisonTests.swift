// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import TestTurns
import Testing
import ToolSupport

@testable import LoadTester

@Suite(.inTurn) struct BenchComparisonTests {
    private func result(_ latencies: [UInt64], errors: UInt64 = 0) -> BenchResult {
        BenchResult(
            settings: BenchSamples.settings(),
            runs: latencies.map { latency in
                var run = BenchSamples.run(latency: latency)
                if errors > 0 { run.measurement.errors = [.errorObject: errors] }
                return run
            })
    }

    /// The baseline is the output of `--json`.
    private func compare(_ before: [UInt64], _ now: [UInt64], tolerance: Double = 5) throws -> BenchComparison {
        let file = try BenchReport(result: result(before)).json()
        let baseline = try BenchBaseline(Array(file.utf8), path: "before.json")
        try baseline.check(BenchSamples.settings())
        return BenchComparison(baseline, result(now), tolerance: tolerance)
    }

    private func verdict(_ comparison: BenchComparison, _ metric: BenchMetric) -> BenchComparison.Verdict? {
        comparison.rows.first { $0.metric == metric }?.verdict
    }

    @Test(
        arguments: [
            // Within the tolerance of 5 %.
            ([1000], [1049], .same), ([1000], [1051], .regression), ([1000], [949], .improvement),
            // The medians differ by 10 %, which is within the spread of either result.
            ([950, 1000, 1100], [1050, 1100, 1110], .same), ([1000, 1000, 1000], [1000, 1100, 1200], .same),
            // They differ by more than both spreads.
            ([980, 1000, 1020], [1080, 1100, 1120], .regression),
            ([1080, 1100, 1120], [980, 1000, 1020], .improvement),
            ([990, 1000, 2000, 1010, 1005], [1900, 1950, 2000], .same),
        ] as [([UInt64], [UInt64], BenchComparison.Verdict)])
    func aChangeCountsBeyondTheSpreadAndTheTolerance(
        _ before: [UInt64], _ now: [UInt64], _ expected: BenchComparison.Verdict
    ) throws {
        let comparison = try compare(before, now)
        #expect(verdict(comparison, .p50) == expected)
        #expect(comparison.hasRegression == (expected == .regression))
        #expect(verdict(comparison, .callsPerSecond) == .same)
    }

    @Test func fewerCallsPerSecondAreARegression() throws {
        var slow = result([100])
        slow.runs[0].measurement.duration = .seconds(2)
        let fast = try BenchBaseline(Array(BenchReport(result: result([100])).json().utf8), path: "f")
        #expect(verdict(BenchComparison(fast, slow, tolerance: 5), .callsPerSecond) == .regression)
        let before = try BenchBaseline(Array(BenchReport(result: slow).json().utf8), path: "f")
        #expect(verdict(BenchComparison(before, result([100]), tolerance: 5), .callsPerSecond) == .improvement)
    }

    @Test func errorsWhereThereWereNoneAreARegression() throws {
        let baseline = try BenchBaseline(Array(BenchReport(result: result([100])).json().utf8), path: "f")
        let comparison = BenchComparison(baseline, result([100], errors: 10), tolerance: 50)
        #expect(verdict(comparison, .errorShare) == .regression)
        #expect(comparison.table.contains("from 0"))
    }

    @Test func smallSharesAreShown() throws {
        let baseline = try BenchBaseline(Array(BenchReport(result: result([100])).json().utf8), path: "f")
        var now = result([100])
        now.runs[0].measurement.calls = 50_000
        now.runs[0].measurement.errors = [.errorObject: 5]
        let table = BenchComparison(baseline, now, tolerance: 5).table
        #expect(
            table.contains("errors             0.000 %       0.010 %        from 0       0.000 %  regression"),
            "\(table)")
    }

    @Test func theTableAndTheJSONShowTheVerdicts() throws {
        let comparison = try compare([980, 1000, 1020], [1080, 1100, 1120])
        #expect(
            comparison.table.contains(
                "p50                   1 ms       1.10 ms       +10.0 %         40 µs  regression"),
            "\(comparison.table)")
        #expect(!comparison.table.contains("A single run"))
        #expect(comparison.json.text.contains(#""regression":true,"tolerance_percent":5.000"#))
        #expect(comparison.json.text.contains(#"{"name":"p50","before":1000"#))
        #expect(try compare([1], [1]).table.contains("A single run has no spread."))
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"calls":1}"#,
        #"{"calls":"x","errors":0,"calls_per_second":1,"latency_us":{"p50":1,"p90":1,"p99":1}}"#,
        #"{"calls":1,"errors":0,"calls_per_second":1,"latency_us":{"p50":1,"p90":1}}"#,
        #"{"calls":1,"errors":0,"calls_per_second":-1,"latency_us":{"p50":1,"p90":1,"p99":1}}"#,
        #"{"calls":1,"errors":0,"calls_per_second":1,"latency_us":{"p50":1,"p90":1,"p99":1},"median":{"p50":1}}"#,
        #"{"calls":1,"errors":0,"calls_per_second":1,"latency_us":{"p50":1e999,"p90":1,"p99":1}}"#,
    ])
    func brokenFilesAreRefused(_ file: String) {
        #expect { _ = try BenchBaseline(Array(file.utf8), path: "broken.json") } throws: {
            ($0 as? UsageError)?.description.contains("broken.json") == true
        }
    }

    @Test(arguments: [
        (#""runs":"#, #""run":"#), (#""runs":[{"calls":"#, #""runs":[{"calls":"x","was":"#),
        (#""settings":"#, #""setting":"#), (#""load":"#, #""loads":"#), (#""median":"#, #""medians":"#),
        (#""spread":"#, #""spreads":"#), (#""missed_share":"#, #""missed":"#),
        (#""median":{"calls_per_second":"#, #""median":{"calls_per_second":-"#),
        (#""median":{"calls_per_second":"#, #""median":{"calls_per_second":1e999,"was":"#),
    ])
    func aResultWithADamagedMemberIsRefused(_ text: String, _ damaged: String) throws {
        let file = try BenchReport(result: result([1000])).json()
        #expect(file.contains(text))
        brokenFilesAreRefused(file.replacing(text, with: damaged))
    }

    @Test func anotherLoadIsRefused() throws {
        let baseline = try BenchBaseline(Array(BenchReport(result: result([1])).json().utf8), path: "b.json")
        func changed(_ change: (inout BenchSettings) -> Void) -> BenchSettings {
            var settings = BenchSamples.settings()
            change(&settings)
            return settings
        }
        for (settings, text) in [
            (changed { $0.rate = "5" }, "--rate none, not 5"),
            (changed { $0.concurrency = 9 }, "--concurrency 4, not 9"),
            (changed { $0.connections = 2 }, "--connections 1, not 2"),
            (changed { $0.methods = ["n"] }, "method m, not n"),
        ] {
            #expect { try baseline.check(settings) } throws: {
                ($0 as? UsageError)?.description.contains(text) == true
            }
        }
        try baseline.check(changed { $0.target = "ws://other" })
    }
}
