// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import ToolSupport

/// An open loop: calls start at a rate, whether or not the server has answered earlier ones.
///
/// A latency begins with the intended start of the call. A server that stalls therefore shows in the latencies of all
/// calls that were due in the meantime, and so does a client that is too slow to send them in time.
struct OpenLoop: Sendable {
    var profile: RateProfile
    var limit: Workload.Limit
    /// The time before the measurement, at the first rate of the profile. The schedule has no gap after it.
    var warmUp: Duration
    /// The largest number of calls in flight, over all connections.
    var maximumInFlight: Int
    var mix: RequestMix

    /// Runs until the limit is reached, every connection is lost, or the task is cancelled.
    ///
    /// A run with a duration sends no call later than 2 s after it. The calls that were due count as missed.
    ///
    /// The run lasts at least until the call after the last one would be due. So the number of calls divided by the
    /// duration is the rate, even for a few calls, and another run can follow in time.
    func run(_ callers: [BenchCaller], _ recorder: LatencyRecorder, _ counter: CallCounter) async -> Measurement {
        let clock = ContinuousClock()
        let gate = InFlightGate(limit: maximumInFlight)
        let start = clock.now.advanced(by: warmUp)
        let began = SystemTime.secondsSince1970 + warmUp.inSeconds
        let schedule = Schedule(profile: profile, limit: limit, warmUp: warmUp, stride: callers.count)
        let connections = callers.map { _ in ConnectionState() }
        await withDiscardingTaskGroup { group in
            for (index, caller) in callers.enumerated() {
                group.addTask(executorPreference: caller.executor) {
                    let pacer = Pacer(
                        caller: caller, connection: connections[index], start: start, gate: gate, mix: mix,
                        recorder: recorder, counter: counter)
                    await pacer.run(schedule, first: UInt64(index))
                }
            }
        }
        if !connections.contains(where: \.isDead) {
            // When the task is cancelled, the run ends at once.
            try? await clock.sleep(until: start.advanced(by: schedule.length), tolerance: .zero)
        }
        let end = clock.now
        return recorder.measurement(began: began, duration: end > start ? end - start : .zero)
    }
}

/// The calls of an open loop in order. Each connection makes every n-th of them.
private struct Schedule: Sendable {
    var profile: RateProfile
    var warmUpCalls: UInt64
    /// The number of calls, with those of the warm-up.
    var calls: UInt64
    var warmUp: Duration
    var length: Duration
    /// The time, relative to the start of the measurement, after which no call is sent; `nil` for no limit. Otherwise a
    /// tool that is too slow for the rate could send calls long after the end.
    var lastStart: Duration?
    var stride: UInt64

    init(profile: RateProfile, limit: Workload.Limit, warmUp: Duration, stride: Int) {
        self.profile = profile
        self.warmUp = warmUp
        self.stride = UInt64(stride)
        warmUpCalls = warmUp > .zero ? RateProfile(profile.start).calls(before: warmUp.inSeconds) : 0
        let measured: UInt64
        switch limit {
        case .requests(let count):
            (measured, length) = (count, .nanoseconds(Int64(profile.nanoseconds(ofCall: count))))
        case .duration(let duration):
            (measured, length) = (profile.calls(before: duration.inSeconds), duration)
            lastStart = duration + .seconds(2)
        }
        calls = measured.addingReportingOverflow(warmUpCalls).overflow ? .max : measured + warmUpCalls
    }

    /// Returns the intended start of a call, relative to the start of the measurement.
    func offset(of index: UInt64) -> Duration {
        if index < warmUpCalls {
            return .nanoseconds(Int64(RateProfile(profile.start).nanoseconds(ofCall: index))) - warmUp
        }
        return .nanoseconds(Int64(profile.nanoseconds(ofCall: index - warmUpCalls)))
    }

    /// Returns the number of measured calls of one connection from this index on.
    func measuredCalls(from index: UInt64) -> UInt64 {
        guard index < calls else { return 0 }
        var first = index
        if first < warmUpCalls { first += (warmUpCalls - first + stride - 1) / stride * stride }
        return first < calls ? (calls - first - 1) / stride + 1 : 0
    }
}

private struct Pacer: Sendable {
    /// The number of calls that start without a pause while the pacer is behind. A pause lets the connection work.
    private static let burst = 64

    var caller: BenchCaller
    var connection: ConnectionState
    /// The start of the measurement, after the warm-up.
    var start: ContinuousClock.Instant
    var gate: InFlightGate
    var mix: RequestMix
    var recorder: LatencyRecorder
    var counter: CallCounter

    @concurrent func run(_ schedule: Schedule, first: UInt64) async {
        let clock = ContinuousClock()
        await withDiscardingTaskGroup { group in
            var index = first
            var started = 0
            var now = clock.now
            while index < schedule.calls, !Task.isCancelled {
                let intended = start.advanced(by: schedule.offset(of: index))
                if now < intended {
                    do { try await clock.sleep(until: intended, tolerance: .zero) } catch { return }
                    now = clock.now
                    started = 0
                } else if started == Self.burst {
                    await Task.yield()
                    now = clock.now
                    started = 0
                }
                if connection.isDead || schedule.lastStart.map({ now - start > $0 }) == true {
                    let missed = schedule.measuredCalls(from: index)
                    if missed > 0 { recorder.recordMissed(missed, at: (now - start).inNanoseconds) }
                    return
                }
                begin(index >= schedule.warmUpCalls, intended, now, in: &group)
                started += 1
                // Beyond the number of the last call, the sum could overflow.
                guard schedule.calls - index > schedule.stride else { return }
                index += schedule.stride
            }
        }
    }

    /// Starts a call that is due, or counts it as missed.
    private func begin(
        _ isMeasured: Bool, _ intended: ContinuousClock.Instant, _ now: ContinuousClock.Instant,
        in group: inout DiscardingTaskGroup
    ) {
        guard gate.enter() else {
            if isMeasured { recorder.recordMissed(1, at: (now - start).inNanoseconds) }
            return
        }
        if isMeasured { counter.next() }
        let request = mix.next()
        group.addTask(executorPreference: caller.executor) {
            await call(request, intended, isMeasured)
            gate.leave()
        }
    }

    @concurrent private func call(
        _ request: BenchRequest, _ intended: ContinuousClock.Instant, _ isMeasured: Bool
    ) async {
        let clock = ContinuousClock()
        let delay = (clock.now - intended).inNanoseconds
        do {
            try await caller.call(request)
            guard isMeasured else { return }
            recorder.record([sample(request, intended, clock.now)], delay: delay)
        } catch {
            let failure = caller.failure(error)
            // A call that was cancelled at the end of the run has not ended.
            if failure.kind == .cancelled {
                if isMeasured { recorder.recordUnfinished(1) }
                return
            }
            // A connection that fails in the warm-up is reported, because no measured call follows.
            // Without connections of its own, a later call can succeed.
            let isDead = !caller.outlivesConnections && caller.isDead(after: failure)
            if isMeasured || isDead { recorder.record([sample(request, intended, clock.now)], failure, delay: delay) }
            if isDead { connection.die() }
        }
    }

    private func sample(
        _ request: BenchRequest, _ intended: ContinuousClock.Instant, _ end: ContinuousClock.Instant
    ) -> CallSample {
        CallSample(
            latency: (end - intended).inNanoseconds, end: (end - start).inNanoseconds, method: request.index)
    }
}

private final class ConnectionState: Sendable {
    private let dead = Atomic<Bool>(false)

    var isDead: Bool { dead.load(ordering: .relaxed) }
    func die() { dead.store(true, ordering: .relaxed) }
}

final class InFlightGate: Sendable {
    private let limit: Int
    private let count = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// Counts a call in flight. Returns false, without counting, if the limit is reached.
    func enter() -> Bool {
        guard count.wrappingAdd(1, ordering: .relaxed).newValue > limit else { return true }
        count.wrappingSubtract(1, ordering: .relaxed)
        return false
    }

    func leave() { count.wrappingSubtract(1, ordering: .relaxed) }
}

/// The rate of an open loop over time: constant, or rising or falling evenly.
package struct RateProfile: Equatable, Sendable {
    /// The highest rate that can be asked for, in calls per second.
    static let maximum = 1_000_000.0

    /// The rate at the start, in calls per second.
    var start: Double
    /// The rate at the end of the ramp, in calls per second.
    var end: Double
    /// The length of the ramp in seconds. A constant rate does not use it.
    package var rampSeconds = 0.0

    init(_ rate: Double) { (start, end) = (rate, rate) }

    /// Reads the value of `--rate`: a number of calls per second, or two with `..` between them for a ramp.
    package init(parsing text: String) throws {
        let rates = try text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
            .map { try Self.number(String($0), in: text) }
        (start, end) = (rates[0], rates[rates.count - 1])
    }

    package var isRamp: Bool { start != end }

    /// The text for reports: `100`, `100..5000`.
    package var text: String { isRamp ? "\(Self.text(start))..\(Self.text(end))" : Self.text(start) }

    private static func text(_ rate: Double) -> String {
        rate == rate.rounded() ? DecimalText.fixed(rate, digits: 0) : "\(rate)"
    }

    private static func number(_ digits: String, in text: String) throws -> Double {
        // `Double` alone would accept "nan", "inf", "1e9" and "0x1p3".
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            digits.first != ".", digits.last != ".", let rate = Double(digits), rate > 0, rate <= maximum
        else {
            throw UsageError(
                "--rate must be a number of calls per second above 0 and at most 1000000, or two for a ramp "
                    + "(100..5000), not \(TerminalText.line(text)).")
        }
        return rate
    }

    private var slope: Double { rampSeconds > 0 ? (end - start) / rampSeconds : 0 }

    /// Returns the intended start of a call, in nanoseconds after the start of the run. The first call has index 0.
    func nanoseconds(ofCall index: UInt64) -> UInt64 {
        let count = Double(index)
        // The number of calls until t is start·t + slope·t²/2. This is its inverse, in the form that also holds for a
        // slope of 0.
        let root = max(0, start * start + 2 * slope * count).squareRoot()
        return UInt64(max(0, min(9e18, 2 * count / (start + root) * 1e9)))
    }

    /// Returns the number of calls whose intended start is before this time, in seconds after the start of the run.
    func calls(before seconds: Double) -> UInt64 {
        let count = start * seconds + slope * seconds * seconds / 2
        // A product such as 100 · 0.07 is slightly above the exact whole number.
        return UInt64(max(1, min(9e18, (count - 1e-6).rounded(.up))))
    }
}
