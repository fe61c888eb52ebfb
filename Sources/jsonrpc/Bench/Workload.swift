// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A closed loop: so many workers, each of which makes its next call when it has the answer to the last.
///
/// A closed loop slows down with the server it measures ("coordinated omission"): while the server stalls, the calls
/// that would have come are not made and do not count. The percentiles are those of the calls that were made.
struct Workload: Sendable {
    enum Limit: Sendable, Equatable {
        case requests(UInt64)
        case duration(Duration)
    }

    /// Calls in flight over all connections.
    var concurrency: Int
    var limit: Limit

    /// Runs until the limit is reached, every connection is lost, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - callers: one for each connection, at least one.
    ///   - progress: told how much is done, while it goes on.
    func run(
        _ callers: [BenchCaller],
        recorder: LatencyRecorder = LatencyRecorder(),
        counter: CallCounter = CallCounter()
    ) async -> Measurement {
        let clock = ContinuousClock()
        let start = clock.now
        let plan = Plan(limit: limit, start: start)
        // Not a task group: to take a finished task out of one takes time in proportion to the number of tasks.
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
        // The start, not now: each worker makes one call, however late the system lets it begin.
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
                // A call that the end of the run cut off is no call that ended.
                if failure.kind == .cancelled { break }
                recorder.record(failure, nanoseconds: failure.kind == .lost ? nil : nanoseconds(after - before))
                if failure.kind == .lost || failure.kind == .couldNotConnect { break }
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

/// Makes a call and returns when it has its result. One for each connection.
///
/// A type of its own, because an array of functions changes their calling convention by a cast that fails at run time.
struct BenchCaller: Sendable {
    /// Where the calls are made and their results taken; nil for the threads that all tasks share.
    var executor: (any TaskExecutor)?
    var call: @Sendable () async throws -> Void

    init(executor: (any TaskExecutor)? = nil, call: @escaping @Sendable () async throws -> Void) {
        self.executor = executor
        self.call = call
    }
}

/// Counts the calls that workers begin.
final class CallCounter: Sendable {
    private let count = Atomic<UInt64>(0)

    /// The number of calls begun before this one.
    func next() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).oldValue }

    var value: UInt64 { count.load(ordering: .relaxed) }
}
