// swift-jsonrpc · SPDX-License-Identifier: MIT

import Histogram
import Synchronization
import TestTurns
import Testing

@testable import jsonrpc

@Suite(.inTurn(within: .seconds(60))) struct WorkloadTests {
    @Test(arguments: [(1, 1), (7, 3), (100, 1)])
    func makesExactlyTheRequestsAskedFor(_ concurrency: Int, _ connections: Int) async {
        let made = Mutex([Int](repeating: 0, count: connections))
        let callers = (0..<connections).map { index in BenchCaller { made.withLock { $0[index] += 1 } } }
        let measurement = await Workload(concurrency: concurrency, limit: .requests(1000)).run(callers)
        #expect(measurement.calls == 1000)
        #expect(measurement.errorCount == 0)
        #expect(measurement.latencies.totalCount == 1000)
        #expect(made.withLock { $0.reduce(0, +) } == 1000)
        #expect(measurement.status == .success)
    }

    @Test func aDurationEndsAfterAtLeastOneCallOfEachWorker() async {
        let calls = CallCounter()
        let measurement = await Workload(concurrency: 2, limit: .duration(.milliseconds(20)))
            .run([BenchCaller { _ = calls.next() }])
        #expect(measurement.calls == calls.value)
        #expect(measurement.calls >= 2)
        #expect(measurement.duration >= .milliseconds(20))
    }

    @Test func errorsAreCountedByKindAndTimed() async {
        let calls = CallCounter()
        let measurement = await Workload(concurrency: 1, limit: .requests(10)).run([
            BenchCaller {
                if calls.next() % 2 == 0 {
                    throw CallFailure(kind: .timeout, delivery: .outcomeUnknown, message: "No answer.")
                }
            }
        ])
        #expect(measurement.calls == 10)
        #expect(measurement.errors == [.timeout: 5])
        #expect(measurement.latencies.totalCount == 10)
        #expect(measurement.firstFailure == "No answer.")
        #expect(measurement.status == .timeout)
    }

    @Test func workersStopWhenTheirConnectionIsLost() async {
        let measurement = await Workload(concurrency: 4, limit: .requests(1_000_000)).run([
            BenchCaller { throw CallFailure(kind: .lost, delivery: .outcomeUnknown, message: "gone") }
        ])
        #expect(measurement.calls == 4)
        #expect(measurement.errors == [.lost: 4])
        #expect(measurement.latencies.totalCount == 0)
        #expect(measurement.status == .connectionLost)
    }

    @Test func cancellingEndsTheRunAndKeepsWhatWasMeasured() async {
        let begun = AsyncStream.makeStream(of: Void.self)
        let calls = CallCounter()
        let task = Task {
            await Workload(concurrency: 2, limit: .requests(.max)).run([
                BenchCaller {
                    if calls.next() == 1000 { begun.continuation.yield() }
                    try Task.checkCancellation()
                    // A real call suspends; one that never did would keep the reader below from its turn.
                    await Task.yield()
                }
            ])
        }
        for await _ in begun.stream { break }
        task.cancel()
        let measurement = await task.value
        #expect(measurement.calls >= 999)
        #expect(measurement.errorCount == 0)
    }
}

@Suite(.inTurn) struct BenchReportTests {
    private var measurement: Measurement {
        var measurement = Measurement()
        for value in 1...1000 { measurement.latencies.record(UInt64(value) * 1000) }
        measurement.calls = 1000
        measurement.errors = [.timeout: 2, .errorObject: 1]
        measurement.firstFailure = "No answer came in time."
        measurement.duration = .milliseconds(500)
        return measurement
    }

    @Test func theJSONIsOneObjectOfTheDocumentedMembers() {
        let report = BenchReport(measurement: measurement, concurrency: 4, route: "on 1 connection")
        #expect(
            report.json == """
                {"calls":1000,"errors":3,"seconds":0.500000,"calls_per_second":2000.0,\
                "latency_us":{"p50":500.223,"p90":900.095,"p99":990.207,"p999":999.423,"max":1000.000}}
                """)
    }

    @Test func anEmptyMeasurementIsAllZeros() {
        let report = BenchReport(measurement: Measurement(), concurrency: 1, route: "on 1 connection")
        #expect(
            report.json == """
                {"calls":0,"errors":0,"seconds":0.000000,"calls_per_second":0.0,\
                "latency_us":{"p50":0.000,"p90":0.000,"p99":0.000,"p999":0.000,"max":0.000}}
                """)
    }

    @Test func theTableShowsTheSame() {
        let table = BenchReport(measurement: measurement, concurrency: 4, route: "on 2 connections").table
        #expect(
            table == """
                calls       1 000
                errors      3 (error object: 1, timeout: 2)
                in flight   4 on 2 connections
                duration    0.500 s
                throughput  2 000 calls/s (higher is better)

                latency     (lower is better)
                                     p50         p90         p99       p99.9         max
                µs                 500.2       900.1       990.2       999.4      1000.0

                First error: No answer came in time.
                """)
    }
}

@Suite(.inTurn) struct ProgressBarTests {
    @Test func showsTheShareOfRequests() {
        let bar = ProgressBar(limit: .requests(200), width: 10)
        #expect(bar.line(calls: 50, elapsed: .seconds(2)) == "[##........]  25 %  50 calls  25 calls/s")
        // Each worker counts one call too many before it stops.
        #expect(bar.line(calls: 264, elapsed: .seconds(2)) == "[##########] 100 %  200 calls  100 calls/s")
    }

    @Test func showsTheShareOfTime() {
        let bar = ProgressBar(limit: .duration(.seconds(4)), width: 4)
        #expect(bar.line(calls: 3000, elapsed: .seconds(1)) == "[#...]  25 %  3 000 calls  3 000 calls/s")
        #expect(bar.line(calls: 0, elapsed: .zero) == "[....]   0 %  0 calls  0 calls/s")
        #expect(bar.line(calls: 1, elapsed: .seconds(9)) == "[####] 100 %  1 calls  0 calls/s")
    }
}
