// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Histogram
import JSONRPCSession
import Synchronization
import TestTurns
import Testing
import ToolSupport

@testable import LoadTester

/// A server that answers calls in sequence, and stalls before one of them.
private actor StallingServer {
    private let stalledCall: Int
    private let stall: Duration
    private var calls = 0
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(stallingAt call: Int, for stall: Duration) {
        (stalledCall, self.stall) = (call, stall)
    }

    func answer() async {
        if isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
        calls += 1
        if calls == stalledCall { try? await ContinuousClock().sleep(for: stall) }
        isBusy = false
        if !waiting.isEmpty { waiting.removeFirst().resume() }
    }
}

@Suite(.inTurn(within: .seconds(60))) struct OpenLoopTests {
    private func open(_ rate: Double, _ limit: Workload.Limit, maximumInFlight: Int = 1000) -> Workload {
        Workload(shape: .open(RateProfile(rate), maximumInFlight: maximumInFlight), limit: limit)
    }

    /// The reason for `--rate`: 300 of 1000 calls are due during the stall, but a closed loop makes only one of them.
    @Test func aStallShowsInTheTailOfAnOpenLoopOnly() async {
        let callers = {
            [StallingServer(stallingAt: 300, for: .milliseconds(300))].map { server in
                BenchCaller { _ in await server.answer() }
            }
        }
        let openLoop = await open(1000, .requests(1000)).run(callers())
        #expect(openLoop.calls == 1000)
        #expect(openLoop.missed == 0)
        #expect(openLoop.latency(percentile: 90) >= 100_000)
        #expect(openLoop.maximumLatency >= 290_000)

        let closedLoop = await Workload(concurrency: 1, limit: .requests(1000)).run(callers())
        #expect(closedLoop.calls == 1000)
        #expect(closedLoop.latency(percentile: 90) < 100_000)
        #expect(closedLoop.maximumLatency >= 290_000)
    }

    @Test(arguments: [1, 3]) func allCallsOfADurationAreMade(_ connections: Int) async {
        let made = CallCounter()
        let callers = (0..<connections).map { _ in BenchCaller { _ in made.next() } }
        let measurement = await open(500, .duration(.milliseconds(201))).run(callers)
        // The last call is due at 200 ms.
        #expect(measurement.calls == 101)
        #expect(made.value == 101)
        #expect(measurement.duration >= .milliseconds(200))
        #expect(measurement.timeline.intervals.reduce(0) { $0 + $1.calls } == 101)
    }

    /// The rate of a few calls is that of the schedule.
    @Test(arguments: [Workload.Limit.requests(2), .duration(.milliseconds(200))])
    func theRunLastsUntilTheNextCallWouldBeDue(limit: Workload.Limit) async {
        let measurement = await open(10, limit).run([BenchCaller { _ in }])
        #expect(measurement.calls == 2)
        #expect(measurement.duration >= .milliseconds(200))
        #expect(measurement.callsPerSecond <= 10)
    }

    /// Each call takes a thread for 1 ms, so 100 000 calls would take a minute.
    @Test func aToolThatIsTooSlowEndsTheRunSoonAfterItsDuration() async {
        @Sendable func work() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1)) }
        let caller = BenchCaller { _ in work() }
        let run = await open(1_000_000, .duration(.milliseconds(100)), maximumInFlight: 1_000_000).run([caller, caller])
        #expect(run.calls + run.missed == 100_000)
        #expect(run.missed > 0)
        #expect(run.timeline.intervals.reduce(0) { $0 + $1.missed } == run.missed)
    }

    @Test func failedConnectionsOfCallsDoNotEndTheRun() async {
        let made = CallCounter()
        let measurement = await open(1000, .requests(50)).run([
            BenchCaller(outlivesConnections: true) { _ in
                if made.next() == 3 {
                    throw CallFailure(kind: .couldNotConnect, delivery: .notSent, message: "refused")
                }
            }
        ])
        #expect(measurement.calls == 50 && measurement.missed == 0)
        #expect(measurement.errors == [.couldNotConnect: 1])
    }

    @Test func theWarmUpIsNotCounted() async {
        let made = CallCounter()
        var workload = open(1000, .requests(50))
        workload.warmUp = .milliseconds(100)
        let measurement = await workload.run([BenchCaller { _ in made.next() }, BenchCaller { _ in made.next() }])
        #expect(measurement.calls == 50)
        #expect(made.value == 150)
        #expect(measurement.duration < .seconds(30))

        var closed = Workload(concurrency: 1, limit: .requests(50))
        closed.warmUp = .milliseconds(20)
        let other = CallCounter()
        #expect(await closed.run([BenchCaller { _ in other.next() }]).calls == 50)
        #expect(other.value > 50)
    }

    @Test func callsBeyondTheLimitAreCountedAsMissed() async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Never.self)
        let peak = Mutex((now: 0, highest: 0))
        let recorder = LatencyRecorder()
        let run = Task {
            await open(1000, .requests(100), maximumInFlight: 10).run(
                [
                    BenchCaller { _ in
                        peak.withLock {
                            $0.now += 1
                            $0.highest = max($0.highest, $0.now)
                        }
                        // This is the answer of the dead server. It arrives when the test says so.
                        await waitForEnd(of: answers, continuation)
                    }
                ], recorder: recorder)
        }
        try await yieldUntil("90 calls are missed") { recorder.liveFigures.missed >= 90 }
        run.cancel()
        let measurement = await run.value
        #expect(measurement.missed == 90)
        #expect(measurement.calls + measurement.missed <= 100)
        #expect(peak.withLock { $0.highest } == 10)
    }

    @Test func aLostConnectionEndsTheRunAndTheRestIsMissed() async {
        let made = CallCounter()
        let measurement = await open(100_000, .requests(1_000_000_000)).run([
            BenchCaller { _ in
                if made.next() >= 9 { throw CallFailure(kind: .lost, delivery: .outcomeUnknown, message: "gone") }
            }
        ])
        #expect(measurement.calls + measurement.missed == 1_000_000_000)
        #expect(measurement.errors[.lost] ?? 0 >= 1)
        #expect(measurement.latencies.totalCount == 9)
        #expect(measurement.status == .connectionLost)
    }

    @Test func cancellingEndsTheRun() async {
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let run = Task {
            await open(1000, .duration(.seconds(3600))).run([BenchCaller { _ in continuation.yield() }])
        }
        for await _ in begun { break }
        run.cancel()
        let measurement = await run.value
        #expect(measurement.calls >= 1)
        #expect(measurement.missed == 0)
    }
}

/// Waits until the task is cancelled. It does not throw.
private func waitForEnd(of stream: AsyncStream<Never>, _ continuation: AsyncStream<Never>.Continuation) async {
    for await _ in stream {}
    // The stream ends when its continuation is released.
    withExtendedLifetime(continuation) {}
}

@Suite(.inTurn) struct RateProfileTests {
    @Test func aConstantRateHasEvenDistances() {
        let profile = RateProfile(1000)
        #expect(profile.nanoseconds(ofCall: 0) == 0)
        #expect(profile.nanoseconds(ofCall: 1) == 1_000_000)
        #expect(profile.nanoseconds(ofCall: 1000) == 1_000_000_000)
        #expect(profile.calls(before: 1) == 1000)
        #expect(profile.calls(before: 0.07) == 70)
        #expect(profile.calls(before: 1e-9) == 1)
    }

    @Test(arguments: ["100..5000", "5000..100", "1..2"]) func aRampHasTheMeanRate(_ text: String) throws {
        var profile = try RateProfile(parsing: text)
        profile.rampSeconds = 10
        let total = profile.calls(before: 10)
        #expect(total == UInt64(((profile.start + profile.end) / 2 * 10).rounded()))
        let times = (0..<total).map { profile.nanoseconds(ofCall: $0) }
        #expect(times == times.sorted())
        #expect(times[0] == 0)
        #expect(times[times.count - 1] < 10_000_000_000)
        // The distances at both ends are those of the rates.
        #expect(abs(Double(times[1]) / (1e9 / profile.start) - 1) < 0.5)
    }

    @Test func aRampDoublesTheRateEvenly() throws {
        var profile = try RateProfile(parsing: "100..300")
        profile.rampSeconds = 2
        // 100 t + 50 t²: 150 calls in the first second, 250 in the second.
        #expect(profile.calls(before: 1) == 150)
        #expect(profile.calls(before: 2) == 400)
        #expect(profile.nanoseconds(ofCall: 150) == 1_000_000_000)
    }

    @Test(
        arguments: [
            "0", "0.0", "-5", "nan", "inf", "1e3", "", "..", "5..", "..5", "1..0", "0..1", "x", "1000001", "1..1e9",
            "99999999999999999999999", "1...2", "1..2..3", "0x10", "+5", " 5",
        ])
    func otherRatesAreRefused(_ text: String) {
        #expect { _ = try RateProfile(parsing: text) } throws: {
            ($0 as? UsageError)?.description.hasPrefix("--rate must be a number of calls per second above 0") == true
        }
    }

    @Test(arguments: [("100", "100"), ("0.5", "0.5"), ("100..5000", "100..5000"), ("7..7", "7")])
    func theTextIsThatOfTheOption(_ text: String, _ expected: String) throws {
        #expect(try RateProfile(parsing: text).text == expected)
    }
}

@Suite(.inTurn) struct TimelineTests {
    @Test func aLongRunHasWiderIntervals() {
        var timeline = Timeline()
        for second in 0..<3600 {
            timeline.update(at: UInt64(second) * 1_000_000_000) { interval in
                interval.calls += 1
                interval.errors += second % 2 == 0 ? 1 : 0
                interval.longest = max(interval.longest, UInt64(second))
            }
        }
        #expect(timeline.intervals.count <= Timeline.maximumIntervals)
        #expect(timeline.intervals.reduce(0) { $0 + $1.calls } == 3600)
        #expect(timeline.intervals.reduce(0) { $0 + $1.errors } == 1800)
        #expect(timeline.intervals.last?.longest == 3599)
        #expect(timeline.width == 25_600_000_000)
    }

    @Test func theLastIntervalIsCutShort() {
        var timeline = Timeline()
        for time: UInt64 in [0, 10_000_000, 60_000_000] { timeline.update(at: time) { $0.calls += 1 } }
        let points = timeline.throughput(duration: 0.075)
        #expect(points.count == 2)
        #expect(points[0].rate == 40)
        #expect(abs(points[1].rate - 40) < 0.001)
        #expect(timeline.throughput(duration: 0.06).count == 1)
    }
}
