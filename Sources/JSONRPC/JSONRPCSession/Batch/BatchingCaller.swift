// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A caller that gathers calls made close together into batches, and sends them over another caller.
///
/// ```swift
/// let gathering = BatchingCaller(over: client, window: .milliseconds(2))
/// async let first = gathering.call(Subtract(minuend: 42, subtrahend: 23))
/// async let second = gathering.call(CountCharacters(of: "abc"))   // both in one array
/// ```
///
/// The first call opens a window. Calls wait until the window ends or the limit is reached. Calls with different
/// timeouts are sent in different arrays, and a single call is sent as an object. The time in the window does not count
/// for the timeout. Notifications and batches are passed on at once.
///
/// A cancelled call ends at once. After it was sent, the peer gets a cancellation notice only when all calls of its
/// array have been cancelled. The interceptors of the other caller see each call.
public final class BatchingCaller: JSONRPCCaller {
    private typealias Scheduler = BatchScheduler<BatchEntry, CallTimeout>

    private let base: any JSONRPCCaller
    private let scheduler: Scheduler

    /// Makes a caller.
    ///
    /// - Parameters:
    ///   - caller: The caller that sends the batches.
    ///   - window: The time that the first call of an array waits for others. The default is 1 ms. With zero it waits
    ///     for one turn of the executor.
    ///   - limit: The number of calls at which an array is sent before the window ends. The default is 100.
    ///   - clock: The clock of the window. The default is `ContinuousClock`.
    public init(
        over caller: any JSONRPCCaller, window: Duration = .milliseconds(1), limit: Int = 100,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        base = caller
        // The other caller splits arrays by their size.
        let limits = SessionConfiguration.BatchLimits(maximumMembers: max(1, limit), maximumBytes: .max)
        scheduler = Scheduler(window: window, clock: anchored(clock), limits: { limits }) { batch in
            await Self.carryOut(batch, batch.members.indices.filter(batch.isWaiting), over: caller)
        }
    }

    public var coder: any MessageCoder { base.coder }

    /// Ends the window: the calls that wait are sent now.
    public func flush() { scheduler.flush() }

    public func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        // The params are checked here, because a faulty call must not keep the others of its array from being sent.
        if let params, !params.isStructured {
            throw ClientError.unstructuredParams(method: method)
        }
        let entry = BatchEntry(method: method, params: params, options: options)
        return try await scheduler.result(of: entry, key: timeout, bytes: 0)
    }

    public func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        try await base.notifyRaw(method, params: params, options: options)
    }

    public func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        try await base.batch(entries, timeout: timeout)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: BatchEntry.OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try await base.batch(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
    }

    var gatheredCount: Int { scheduler.gatheredCount }

    // MARK: Sending

    private static func carryOut(
        _ batch: ScheduledBatch<BatchEntry, CallTimeout>, _ indices: [Int], over base: any JSONRPCCaller
    ) async {
        guard let first = indices.first else { return }
        do {
            if indices.count == 1 {
                let entry = batch.members[first]
                let result = try await base.callRaw(
                    entry.method, params: entry.params, timeout: batch.key, options: entry.options)
                return batch.settle(first, .success(result))
            }
            var refused: [Int] = []
            let entries = indices.map { batch.members[$0] }
            try await base.batch(entries, timeout: batch.key, pace: .asTheyCome) { place, outcome in
                if case .failure(.failed(let error)) = outcome, error.code == .batchTooLarge {
                    refused.append(indices[place])
                } else {
                    batch.settle(indices[place], outcome.mapError(\.underlying))
                }
            }
            if !refused.isEmpty { await carryOutInHalves(batch, refused, over: base) }
        } catch {
            for index in indices { batch.settle(index, .failure(error)) }
        }
    }

    /// Sends the calls of an array that exceeds `calls.maximumInFlight` in two halves.
    private static func carryOutInHalves(
        _ batch: ScheduledBatch<BatchEntry, CallTimeout>, _ indices: [Int], over base: any JSONRPCCaller
    ) async {
        let middle = (indices.count + 1) / 2
        async let first: Void = carryOut(batch, Array(indices[..<middle]), over: base)
        if middle < indices.count { await carryOut(batch, Array(indices[middle...]), over: base) }
        await first
    }
}
