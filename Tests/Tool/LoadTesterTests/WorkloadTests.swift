// swift-jsonrpc · SPDX-License-Identifier: MIT

import Histogram
import JSONRPCSession
import Synchronization
import TestTurns
import Testing
import ToolSupport

@testable import LoadTester

@Suite(.inTurn(within: .seconds(60))) struct WorkloadTests {
    @Test(arguments: [(1, 1), (7, 3), (100, 1)])
    func makesExactlyTheRequestsAskedFor(_ concurrency: Int, _ connections: Int) async {
        let made = Mutex([Int](repeating: 0, count: connections))
        let callers = (0..<connections).map { index in BenchCaller { _ in made.withLock { $0[index] += 1 } } }
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
            .run([BenchCaller { _ in _ = calls.next() }])
        #expect(measurement.calls == calls.value)
        #expect(measurement.calls >= 2)
        #expect(measurement.duration >= .milliseconds(20))
    }

    @Test func errorsAreCountedByKindAndTimed() async {
        let calls = CallCounter()
        let measurement = await Workload(concurrency: 1, limit: .requests(10)).run([
            BenchCaller { _ in
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
            BenchCaller { _ in throw CallFailure(kind: .lost, delivery: .outcomeUnknown, message: "gone") }
        ])
        #expect(measurement.calls == 4)
        #expect(measurement.errors == [.lost: 4])
        #expect(measurement.latencies.totalCount == 0)
        #expect(measurement.status == .connectionLost)
    }

    @Test(
        arguments: [
            (false, [:], true), (false, [.status: 3], false), (false, [.timeout: 5], true), (false, [.lost: 1], false),
            (true, [.status: 5], true), (true, [.lost: 1], true), (true, [.lost: 2, .couldNotConnect: 3], false),
        ] as [(Bool, [CallFailure.Kind: UInt64], Bool)])
    func anotherRunFollowsUnlessItWouldOnlyRepeatTheFailure(
        _ outlivesConnections: Bool, _ errors: [CallFailure.Kind: UInt64], _ isRepeatable: Bool
    ) {
        var measurement = Measurement()
        measurement.calls = 5
        measurement.errors = errors
        let caller = BenchCaller(outlivesConnections: outlivesConnections) { _ in }
        #expect(measurement.isRepeatable([caller]) == isRepeatable)
    }

    @Test func theMeasurementBeginsWhenTheWarmUpHasEnded() async {
        let isReleased = CallCounter()
        var workload = Workload(concurrency: 1, limit: .requests(1))
        workload.warmUp = .milliseconds(1)
        let began = SystemTime.secondsSince1970
        let measurement = await workload.run([
            BenchCaller { _ in
                // The call of the warm-up is longer than the warm-up.
                if isReleased.next() == 0 { try? await ContinuousClock().sleep(for: .milliseconds(100)) }
            }
        ])
        #expect(measurement.calls == 1)
        // The two clocks differ.
        #expect(measurement.began - began > 0.09)
    }

    @Test func cancellingEndsTheRunAndKeepsWhatWasMeasured() async {
        let begun = AsyncStream.makeStream(of: Void.self)
        let calls = CallCounter()
        let task = Task {
            await Workload(concurrency: 2, limit: .requests(.max)).run([
                BenchCaller { _ in
                    if calls.next() == 1000 { begun.continuation.yield() }
                    try Task.checkCancellation()
                    // A real call suspends. Without a suspension, the reader below would never run.
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

    @Test func showsTheWarmUpAndLiveFigures() {
        var bar = ProgressBar(limit: .duration(.seconds(4)), warmUp: .seconds(2), width: 4, title: "run 1/3")
        #expect(bar.line(calls: 0, elapsed: .seconds(1)) == "run 1/3 warm-up 1.0 s")
        let figures = LiveFigures(answered: 900, errors: 2, missed: 1000, median: 1500, p99: 20_000)
        #expect(
            bar.line(calls: 1000, elapsed: .seconds(3), figures: figures)
                == "run 1/3 [#...]  25 %  1 000 calls  900 calls/s  p50 1.50 ms  p99 20 ms  2 errors  1 000 missed")
        bar.columns = 20
        #expect(bar.line(calls: 1000, elapsed: .seconds(3), figures: figures) == "run 1/3 [#...]  25 %")
    }
}

extension BenchCaller {
    /// Makes a caller whose calls throw ``CallFailure``, or `CancellationError`.
    init(outlivesConnections: Bool = false, _ call: @escaping @Sendable (BenchRequest) async throws -> Void) {
        self.init(
            outlivesConnections: outlivesConnections,
            failure: { $0 as? CallFailure ?? CallFailure(kind: .cancelled, delivery: .outcomeUnknown, message: "") },
            call: call)
    }
}

extension Workload {
    init(concurrency: Int, limit: Limit) { self.init(shape: .closed(concurrency: concurrency), limit: limit) }
}
