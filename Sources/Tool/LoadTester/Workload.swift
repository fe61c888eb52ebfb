// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCSession
import Synchronization
package import ToolSupport

/// The load of a run: which calls are made, when, and how many.
package struct Workload: Sendable {
    package enum Limit: Sendable, Equatable {
        case requests(UInt64)
        case duration(Duration)
    }

    package enum Shape: Sendable, Equatable {
        /// Each of `concurrency` callers makes its next call when it has the response to the last one.
        case closed(concurrency: Int)
        /// Calls start at a rate, whether or not the server has answered earlier ones.
        ///
        /// - maximumInFlight: The largest number of calls in flight, over all connections. A call that would exceed it
        ///   is not sent, but counted as missed.
        case open(RateProfile, maximumInFlight: Int)
    }

    package var shape: Shape
    package var limit: Limit
    /// The time before the measurement in which calls are made but not recorded.
    package var warmUp: Duration = .zero
    package var mix = RequestMix(method: "", params: nil)
    package var usesTasks = false

    package init(shape: Shape, limit: Limit) { (self.shape, self.limit) = (shape, limit) }

    /// Runs until the limit is reached, every connection is lost, or the task is cancelled.
    package func run(
        _ callers: [BenchCaller],
        recorder: LatencyRecorder = LatencyRecorder(),
        counter: CallCounter = CallCounter()
    ) async -> Measurement {
        switch shape {
        case .closed(let concurrency):
            var loop = ClosedLoop(concurrency: concurrency, limit: .duration(warmUp), mix: mix, usesTasks: usesTasks)
            if warmUp > .zero { _ = await loop.run(callers, LatencyRecorder(), CallCounter()) }
            loop.limit = limit
            return await loop.run(callers, recorder, counter)
        case .open(let profile, let maximumInFlight):
            return await OpenLoop(
                profile: profile, limit: limit, warmUp: warmUp, maximumInFlight: maximumInFlight, mix: mix
            ).run(callers, recorder, counter)
        }
    }
}

/// Makes calls on one connection.
///
/// It is a type, because an array of functions would change their calling convention. That cast fails at run time.
package struct BenchCaller: Sendable {
    /// The executor of the tasks that make the calls; `nil` for the default executor.
    var executor: (any TaskExecutor)?
    /// Whether a call can have a result after an earlier one was lost with its connection.
    var outlivesConnections: Bool
    /// Makes many calls with one consumer; `nil` if each call needs a task of its own.
    var many: (any JSONRPCCaller)?
    /// Translates an error of a call.
    var failure: @Sendable (any Error) -> CallFailure
    var call: @Sendable (BenchRequest) async throws -> Void

    package init(
        executor: (any TaskExecutor)? = nil, outlivesConnections: Bool = false, many: (any JSONRPCCaller)? = nil,
        failure: @escaping @Sendable (any Error) -> CallFailure,
        call: @escaping @Sendable (BenchRequest) async throws -> Void
    ) {
        self.executor = executor
        self.outlivesConnections = outlivesConnections
        self.many = many
        self.failure = failure
        self.call = call
    }

    /// Returns whether no call can succeed after this failure.
    func isDead(after failure: CallFailure) -> Bool {
        switch failure.kind {
        case .couldNotConnect: true
        case .lost: !outlivesConnections
        default: false
        }
    }
}

package final class CallCounter: Sendable {
    private let count = Atomic<UInt64>(0)

    package init() {}

    /// Counts a call, and returns the number of calls that were started before.
    @discardableResult func next() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).oldValue }

    var value: UInt64 { count.load(ordering: .relaxed) }
}
