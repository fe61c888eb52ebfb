// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCSession
import ToolSupport

/// A closed loop: a number of calls is in flight, and the next call is made when one of them has its response.
///
/// For each connection there is one consumer, or, with ``usesTasks``, a task for each call in flight.
///
/// A closed loop sends fewer requests to a stalled server ("coordinated omission"). The percentiles therefore describe
/// the calls that were made, not calls at a constant rate.
struct ClosedLoop: Sendable {
    /// The number of calls in flight, over all connections.
    var concurrency: Int
    var limit: Workload.Limit
    var mix: RequestMix
    var usesTasks = false

    func run(_ callers: [BenchCaller], _ recorder: LatencyRecorder, _ counter: CallCounter) async -> Measurement {
        let clock = ContinuousClock()
        let (start, began) = (clock.now, SystemTime.secondsSince1970)
        let plan = Plan(limit: limit, start: start, counter: counter, recorder: recorder)
        // No task group is used, because removing a finished task from it takes time proportional to its number of
        // tasks.
        var workers: [BackgroundTask] = []
        for (index, caller) in callers.enumerated() {
            let share = concurrency / callers.count + (index < concurrency % callers.count ? 1 : 0)
            if let many = caller.many, !usesTasks {
                guard share > 0 else { continue }
                workers.append(
                    Task(executorPreference: caller.executor) { await consume(caller, many, inFlight: share, plan) })
            } else {
                workers += (0..<share).map { _ in
                    Task(executorPreference: caller.executor) { await work(caller, plan) }
                }
            }
        }
        await untilEnded(workers)
        return recorder.measurement(began: began, duration: clock.now - start)
    }

    private struct Plan: Sendable {
        var maximumCalls: UInt64
        var start: ContinuousClock.Instant
        var deadline: ContinuousClock.Instant?
        var counter: CallCounter
        var recorder: LatencyRecorder

        init(
            limit: Workload.Limit, start: ContinuousClock.Instant, counter: CallCounter, recorder: LatencyRecorder
        ) {
            (self.start, self.counter, self.recorder) = (start, counter, recorder)
            switch limit {
            case .requests(let count): (maximumCalls, deadline) = (count, nil)
            case .duration(let duration): (maximumCalls, deadline) = (.max, start.advanced(by: duration))
            }
        }

        /// Counts a call that begins now. Returns false if no call may begin.
        func begins(at now: ContinuousClock.Instant) -> Bool {
            deadline.map { now < $0 } ?? true && counter.next() < maximumCalls
        }
    }

    /// The calls of one task that have ended. They are passed on after 256 calls or 50 ms, whichever is first, so that
    /// live figures are fresh.
    private struct SampleBuffer {
        private let plan: Plan
        private var samples: [CallSample] = []
        private var flushTime: ContinuousClock.Instant

        init(_ plan: Plan) {
            self.plan = plan
            samples.reserveCapacity(256)
            flushTime = plan.start.advanced(by: .milliseconds(50))
        }

        /// Records a call. `failure` is its failure; `nil` if it has a result.
        mutating func record(
            _ request: BenchRequest, _ before: ContinuousClock.Instant, _ after: ContinuousClock.Instant,
            _ failure: CallFailure? = nil
        ) {
            let sample = CallSample(
                latency: (after - before).inNanoseconds, end: (after - plan.start).inNanoseconds, method: request.index)
            if let failure { plan.recorder.record([sample], failure) } else { samples.append(sample) }
            guard samples.count == 256 || after >= flushTime else { return }
            flush()
            flushTime = after.advanced(by: .milliseconds(50))
        }

        mutating func flush() {
            plan.recorder.record(samples)
            samples.removeAll(keepingCapacity: true)
        }
    }

    @concurrent private func work(_ caller: BenchCaller, _ plan: Plan) async {
        let clock = ContinuousClock()
        var samples = SampleBuffer(plan)
        // The time is that of the start, not now, so that each worker makes a call even if the system starts it late.
        var after = plan.start
        while !Task.isCancelled, plan.begins(at: after) {
            let request = mix.next()
            let before = clock.now
            do {
                try await caller.call(request)
                after = clock.now
                samples.record(request, before, after)
            } catch {
                after = clock.now
                let failure = caller.failure(error)
                // A call that was cancelled at the end of the run has not ended.
                if failure.kind == .cancelled {
                    plan.recorder.recordUnfinished(1)
                    break
                }
                samples.record(request, before, after, failure)
                if caller.isDead(after: failure) { break }
            }
        }
        samples.flush()
    }

    /// Makes calls on one connection with one consumer, which keeps a number of them in flight.
    @concurrent private func consume(
        _ caller: BenchCaller, _ many: any JSONRPCCaller, inFlight: Int, _ plan: Plan
    ) async {
        let clock = ContinuousClock()
        var samples = SampleBuffer(plan)
        var calls: [Int: (ContinuousClock.Instant, BenchRequest)] = [:]
        var (begun, lost, isDead) = (0, 0, false)
        let requests = AnyIterator<BenchRequest> {
            let now = clock.now
            // The first call is made even if the system starts the task late.
            guard !isDead, plan.begins(at: begun == 0 ? plan.start : now) else { return nil }
            let request = mix.next()
            calls[begun] = (now, request)
            begun += 1
            return request
        }
        do {
            for try await (index, result) in many.results(of: requests, inFlight: inFlight) {
                let after = clock.now
                guard let (before, request) = calls.removeValue(forKey: index) else { continue }
                guard case .failure(let error) = result else {
                    samples.record(request, before, after)
                    continue
                }
                let failure = caller.failure(error.underlying)
                // A call that was cancelled at the end of the run has not ended.
                if failure.kind == .cancelled {
                    plan.recorder.recordUnfinished(1)
                    continue
                }
                if caller.isDead(after: failure) {
                    isDead = true
                    // Requests that were taken before the loss was known do not count as calls.
                    if lost == inFlight { continue }
                    lost += 1
                }
                samples.record(request, before, after, failure)
            }
        } catch {
            // The task is cancelled: the run ends here, without the calls in flight.
            plan.recorder.recordUnfinished(min(calls.count, inFlight))
        }
        samples.flush()
    }
}

extension BenchRequest: JSONRPCRequest {
    package func response(from result: RawJSON, using coder: any MessageCoder) -> Int { result.bytes.count }
}
