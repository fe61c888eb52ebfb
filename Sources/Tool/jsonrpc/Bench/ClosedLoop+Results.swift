// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// A caller of the library that makes many calls with one consumer.
struct ManyCaller: Sendable {
    var caller: any JSONRPCCaller
    /// Returns the failure of a call for an error of the library.
    var failure: @Sendable (any Error) -> any Error
}

private struct BenchCall: JSONRPCRequest {
    var request: BenchRequest
    var method: String { request.method }
    /// `nil` is left out of the message.
    var params: RawJSON? { request.params }

    func response(from result: RawJSON, using coder: any MessageCoder) -> Int { result.bytes.count }
}

extension ClosedLoop {
    /// Makes calls on one connection with one consumer, which keeps a number of them in flight.
    @concurrent func consume(
        _ caller: BenchCaller, _ many: ManyCaller, inFlight: Int, _ plan: Plan, _ counter: CallCounter,
        _ recorder: LatencyRecorder, _ clock: ContinuousClock
    ) async {
        var samples: [CallSample] = []
        samples.reserveCapacity(256)
        var flushTime = plan.start.advanced(by: .milliseconds(50))
        let begun = CallsBegun()
        let requests = AnyIterator<BenchCall> {
            let now = clock.now
            // The first call is made even if the system starts the task late.
            guard !begun.isDead, plan.deadline.map({ now < $0 || begun.isEmpty }) ?? true,
                counter.next() < plan.maximumCalls
            else { return nil }
            let request = mix.next()
            begun.add(now, request)
            return BenchCall(request: request)
        }
        do {
            for try await (index, result) in many.caller.results(of: requests, inFlight: inFlight) {
                let after = clock.now
                guard let (before, request) = begun.take(index) else { continue }
                switch result {
                case .success: samples.append(sample(before, after, plan, request))
                case .failure(let error):
                    let failure = CallFailure(many.failure(error.underlying))
                    // A call that was cancelled at the end of the run has not ended.
                    if failure.kind == .cancelled {
                        recorder.recordUnfinished(1)
                        continue
                    }
                    if caller.isDead(after: failure) {
                        begun.isDead = true
                        // Requests that were taken before the loss was known are no calls of the run.
                        if begun.lost == inFlight { continue }
                        begun.lost += 1
                    }
                    recorder.record(failure, sample(before, after, plan, request))
                }
                if samples.count == 256 || after >= flushTime {
                    recorder.record(samples)
                    samples.removeAll(keepingCapacity: true)
                    flushTime = after.advanced(by: .milliseconds(50))
                }
            }
        } catch {
            // The task is cancelled: the run ends here, without the calls in flight.
            recorder.recordUnfinished(min(begun.inFlight, inFlight))
        }
        recorder.record(samples)
    }
}

/// The calls in flight of one consumer. Only its task uses it.
private final class CallsBegun {
    private var calls: [Int: (ContinuousClock.Instant, BenchRequest)] = [:]
    private var count = 0
    /// Whether no further call can succeed.
    var isDead = false
    /// The number of calls that were lost with the connection.
    var lost = 0

    var isEmpty: Bool { count == 0 }
    /// The number of calls without a result.
    var inFlight: Int { calls.count }

    func add(_ time: ContinuousClock.Instant, _ request: BenchRequest) {
        calls[count] = (time, request)
        count += 1
    }

    func take(_ index: Int) -> (ContinuousClock.Instant, BenchRequest)? { calls.removeValue(forKey: index) }
}
