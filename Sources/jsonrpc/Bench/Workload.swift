// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A closed loop: each worker makes its next call when it has the response to the last one.
///
/// A closed loop sends fewer requests to a stalled server ("coordinated omission"). The percentiles therefore describe
/// the calls that were made, not calls at a constant rate.
struct Workload: Sendable {
    enum Limit: Sendable, Equatable {
        case requests(UInt64)
        case duration(Duration)
    }

    /// The number of calls in flight, over all connections.
    var concurrency: Int
    var limit: Limit

    /// Runs until the limit is reached, every connection is lost, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - callers: The callers, one for each connection. There must be at least one.
    ///   - recorder: Collects latencies and failures.
    ///   - counter: Counts the calls that have started, for a progress bar.
    func run(
        _ callers: [BenchCaller],
        recorder: LatencyRecorder = LatencyRecorder(),
        counter: CallCounter = CallCounter()
    ) async -> Measurement {
        let clock = ContinuousClock()
        let start = clock.now
        let plan = Plan(limit: limit, start: start)
        // No task group is used, because removing a finished task from it takes time proportional to its number of
        // tasks.
        let workers = (0..<concurrency).map { worker in
            let caller = callers[worker % callers.count]
            return Task(executorPreference: caller.executor) {
                await Self.work(caller, plan, counter, recorder, clock)
            }
        }
        await withTaskCancellationHandler {
            for worker in workers { await worker.value }
        } onCancel: {
            for worker in workers { worker.cancel() }
        }
        return recorder.measurement(duration: clock.now - start)
    }

    private struct Plan: Sendable {
        var maximumCalls: UInt64
        var start: ContinuousClock.Instant
        var deadline: ContinuousClock.Instant?

        init(limit: Limit, start: ContinuousClock.Instant) {
            self.start = start
            switch limit {
            case .requests(let count): (maximumCalls, deadline) = (count, nil)
            case .duration(let duration): (maximumCalls, deadline) = (.max, start.advanced(by: duration))
            }
        }
    }

    @concurrent private static func work(
        _ caller: BenchCaller, _ plan: Plan, _ counter: CallCounter, _ recorder: LatencyRecorder,
        _ clock: ContinuousClock
    ) async {
        var latencies: [UInt64] = []
        latencies.reserveCapacity(256)
        // The time is that of the start, not now, so that each worker makes a call even if the system starts it late.
        var before = plan.start
        while !Task.isCancelled, plan.deadline.map({ before < $0 }) ?? true, counter.next() < plan.maximumCalls {
            before = clock.now
            do {
                try await caller.call()
                let after = clock.now
                latencies.append(nanoseconds(after - before))
                before = after
            } catch {
                let after = clock.now
                let failure = CallFailure(error)
                // A call that was cancelled at the end of the run does not count.
                if failure.kind == .cancelled { break }
                recorder.record(failure, nanoseconds: failure.kind == .lost ? nil : nanoseconds(after - before))
                if failure.kind == .couldNotConnect { break }
                if failure.kind == .lost, !caller.outlivesConnections { break }
                before = after
            }
            if latencies.count == 256 {
                recorder.record(latencies)
                latencies.removeAll(keepingCapacity: true)
            }
        }
        recorder.record(latencies)
    }

    private static func nanoseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        return UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds)) / 1_000_000_000
    }
}

/// Makes calls on one connection.
///
/// It is a type of its own, because an array of functions changes their calling convention with a cast that fails at
/// run time.
struct BenchCaller: Sendable {
    /// The executor of the tasks that make the calls; `nil` for the default executor.
    var executor: (any TaskExecutor)?
    /// Whether a call can have a result after an earlier one was lost with its connection.
    var outlivesConnections = false
    /// Makes a call and returns when it has the result.
    var call: @Sendable () async throws -> Void

    init(
        executor: (any TaskExecutor)? = nil, outlivesConnections: Bool = false,
        call: @escaping @Sendable () async throws -> Void
    ) {
        self.executor = executor
        self.outlivesConnections = outlivesConnections
        self.call = call
    }
}

/// Counts the calls that workers start.
final class CallCounter: Sendable {
    private let count = Atomic<UInt64>(0)

    /// Counts a call, and returns the number of calls that were started before.
    func next() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// The number of calls that were started.
    var value: UInt64 { count.load(ordering: .relaxed) }
}
