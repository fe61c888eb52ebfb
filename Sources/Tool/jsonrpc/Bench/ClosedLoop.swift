// swift-jsonrpc · SPDX-License-Identifier: MIT

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
    /// Whether each call in flight has a task of its own.
    var usesTasks = false

    /// Runs until the limit is reached, every connection is lost, or the task is cancelled.
    func run(_ callers: [BenchCaller], _ recorder: LatencyRecorder, _ counter: CallCounter) async -> Measurement {
        let clock = ContinuousClock()
        let (start, began) = (clock.now, SystemTime.secondsSince1970)
        let plan = Plan(limit: limit, start: start)
        // No task group is used, because removing a finished task from it takes time proportional to its number of
        // tasks.
        var workers: [BackgroundTask] = []
        for (index, caller) in callers.enumerated() {
            let share = concurrency / callers.count + (index < concurrency % callers.count ? 1 : 0)
            if let many = caller.many, !usesTasks {
                guard share > 0 else { continue }
                workers.append(
                    Task(executorPreference: caller.executor) {
                        await consume(caller, many, inFlight: share, plan, counter, recorder, clock)
                    })
                continue
            }
            for _ in 0..<share {
                workers.append(
                    Task(executorPreference: caller.executor) {
                        await work(caller, plan, counter, recorder, clock)
                    })
            }
        }
        await untilEnded(workers)
        return recorder.measurement(began: began, duration: clock.now - start)
    }

    struct Plan: Sendable {
        var maximumCalls: UInt64
        var start: ContinuousClock.Instant
        var deadline: ContinuousClock.Instant?

        init(limit: Workload.Limit, start: ContinuousClock.Instant) {
            self.start = start
            switch limit {
            case .requests(let count): (maximumCalls, deadline) = (count, nil)
            case .duration(let duration): (maximumCalls, deadline) = (.max, start.advanced(by: duration))
            }
        }
    }

    @concurrent private func work(
        _ caller: BenchCaller, _ plan: Plan, _ counter: CallCounter, _ recorder: LatencyRecorder,
        _ clock: ContinuousClock
    ) async {
        var samples: [CallSample] = []
        samples.reserveCapacity(256)
        // The samples are passed on after 256 calls or 50 ms, whichever is first, so that live figures are fresh.
        var flushTime = plan.start.advanced(by: .milliseconds(50))
        // The time is that of the start, not now, so that each worker makes a call even if the system starts it late.
        var before = plan.start
        while !Task.isCancelled, plan.deadline.map({ before < $0 }) ?? true, counter.next() < plan.maximumCalls {
            let request = mix.next()
            before = clock.now
            do {
                try await caller.call(request)
                let after = clock.now
                samples.append(sample(before, after, plan, request))
                before = after
            } catch {
                let after = clock.now
                let failure = CallFailure(error)
                // A call that was cancelled at the end of the run has not ended.
                if failure.kind == .cancelled {
                    recorder.recordUnfinished(1)
                    break
                }
                recorder.record(failure, sample(before, after, plan, request))
                if caller.isDead(after: failure) { break }
                before = after
            }
            if samples.count == 256 || before >= flushTime {
                recorder.record(samples)
                samples.removeAll(keepingCapacity: true)
                flushTime = before.advanced(by: .milliseconds(50))
            }
        }
        recorder.record(samples)
    }

    func sample(
        _ before: ContinuousClock.Instant, _ after: ContinuousClock.Instant, _ plan: Plan, _ request: BenchRequest
    ) -> CallSample {
        CallSample(
            latency: (after - before).inNanoseconds, end: (after - plan.start).inNanoseconds, method: request.index)
    }
}
