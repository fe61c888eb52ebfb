// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import Synchronization
public import WireJSON

/// Gathers calls that are made close together into batches, over another caller.
///
/// ```swift
/// let gathering = BatchingCaller(over: client, window: .milliseconds(2))
/// async let first = gathering.call(Subtract(minuend: 42, subtrahend: 23))
/// async let second = gathering.call(CountCharacters(of: "abc"))   // both in one array
/// ```
///
/// A call waits for others until the window that the first one has opened is over, or the limit is reached. Calls with
/// different timeouts go out in arrays of their own; a call that stays alone goes out as it is. The time in the window
/// does not count for the timeout. Notifications and batches are handed on at once.
///
/// A call that is cancelled ends at once. Once it was sent, the peer is told only when all calls of its array have been
/// given up. Interceptors do not see calls that go out in an array.
public final class BatchingCaller: JSONRPCCaller {
    private typealias Waiter = CheckedContinuation<RawJSON, any Error>

    private struct Gathered {
        var call: UInt64
        var entry: BatchEntry
        var timeout: CallTimeout
    }

    /// An array under way.
    private struct Flight {
        var calls: [UInt64]
        /// How many of its calls are waited for.
        var open: Int
        var task: Task<Void, Never>?
    }

    private struct State {
        var nextNumber: UInt64 = 0
        var gathered: [Gathered] = []
        /// Counts windows, so that one which is over early is not taken for the next.
        var window: UInt64 = 0
        var waiters: [UInt64: (waiter: Waiter, flight: UInt64?)] = [:]
        var flights: [UInt64: Flight] = [:]

        mutating func number() -> UInt64 {
            nextNumber += 1
            return nextNumber
        }

        /// Ends the window.
        mutating func take() -> [Gathered] {
            window += 1
            defer { gathered = [] }
            return gathered
        }
    }

    private let base: any JSONRPCCaller
    private let window: Duration
    private let limit: Int
    private let clock: any SessionClock
    private let state = Mutex(State())

    /// - Parameters:
    ///   - caller: what the batches go out by.
    ///   - window: how long the first call of an array waits for others.
    ///   - limit: with so many calls, an array goes out before the window is over.
    ///   - clock: measures the window.
    public init(
        over caller: any JSONRPCCaller, window: Duration = .milliseconds(1), limit: Int = 100,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        base = caller
        self.window = window
        self.limit = max(1, limit)
        self.clock = anchored(clock)
    }

    public var coder: any MessageCoder { base.coder }

    public func callRaw(
        _ method: String, params: RawJSON?, timeout: CallTimeout, options: CallOptions
    ) async throws -> RawJSON {
        // Checked here, since one call's params must not keep the others of its array from being sent.
        if let params, !params.isStructured {
            throw ClientError.unstructuredParams(method: method)
        }
        let call = state.withLock { $0.number() }
        let entry = BatchEntry(method: method, params: params, options: options)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                gather(Gathered(call: call, entry: entry, timeout: timeout), $0)
            }
        } onCancel: {
            cancel(call)
        }
    }

    public func notifyRaw(_ method: String, params: RawJSON?, options: CallOptions) async throws {
        try await base.notifyRaw(method, params: params, options: options)
    }

    public func batch(_ entries: [BatchEntry], timeout: CallTimeout) async throws -> [Result<RawJSON, CallError>?] {
        try await base.batch(entries, timeout: timeout)
    }

    public func batch(
        _ entries: [BatchEntry], timeout: CallTimeout, pace: OutcomePace,
        eachOutcome: (_ index: Int, _ outcome: Result<RawJSON, CallError>) -> Void
    ) async throws {
        try await base.batch(entries, timeout: timeout, pace: pace, eachOutcome: eachOutcome)
    }

    // MARK: Gathering

    /// How many calls wait for the window to end.
    var gatheredCount: Int { state.withLock { $0.gathered.count } }

    private enum GatherAction {
        case refuse
        case wait
        case openWindow(UInt64)
        case send([Gathered])
    }

    private func gather(_ call: Gathered, _ waiter: Waiter) {
        let action = state.withLock { state -> GatherAction in
            // A cancellation from here on finds the waiter.
            if Task.isCancelled { return .refuse }
            state.waiters[call.call] = (waiter, nil)
            state.gathered.append(call)
            if state.gathered.count >= limit { return .send(state.take()) }
            return state.gathered.count == 1 ? .openWindow(state.window) : .wait
        }
        switch action {
        case .refuse: waiter.resume(throwing: CancellationError())
        case .wait: break
        case .openWindow(let number):
            let end = clock.now.advanced(by: window)
            Task { await closeWindow(number, at: end) }
        case .send(let calls): send(calls)
        }
    }

    private func closeWindow(_ number: UInt64, at end: SessionTime) async {
        // A clock that gives up ends the window, too: the calls must go out.
        _ = await clock.isReached(end)
        let calls = state.withLock { $0.window == number ? $0.take() : [] }
        send(calls)
    }

    private func cancel(_ call: UInt64) {
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let (waiter, flight) = state.waiters.removeValue(forKey: call) else { return (nil, nil) }
            state.gathered.removeAll { $0.call == call }
            guard let flight, state.flights[flight] != nil else { return (waiter, nil) }
            state.flights[flight]?.open -= 1
            let isAbandoned = state.flights[flight]?.open == 0
            return (waiter, isAbandoned ? state.flights[flight]?.task : nil)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }

    // MARK: Sending

    /// Sends what one window has gathered: an array for each timeout.
    private func send(_ calls: [Gathered]) {
        var arrays: [[Gathered]] = []
        var places: [CallTimeout: Int] = [:]
        for call in calls {
            if let place = places[call.timeout] {
                arrays[place].append(call)
            } else {
                places[call.timeout] = arrays.count
                arrays.append([call])
            }
        }
        for array in arrays { launch(array) }
    }

    private func launch(_ calls: [Gathered]) {
        let number = state.withLock { state in
            let number = state.number()
            let open = calls.filter { state.waiters[$0.call] != nil }
            for call in open { state.waiters[call.call]?.flight = number }
            state.flights[number] = Flight(calls: calls.map(\.call), open: open.count)
            return number
        }
        let task = Task { await fly(calls, number) }
        let isAbandoned = state.withLock { state in
            state.flights[number]?.task = task
            return state.flights[number]?.open == 0
        }
        if isAbandoned { task.cancel() }
    }

    private func fly(_ calls: [Gathered], _ number: UInt64) async {
        await carryOut(calls)
        state.withLock { _ = $0.flights.removeValue(forKey: number) }
    }

    private func carryOut(_ calls: [Gathered]) async {
        let timeout = calls[0].timeout
        do {
            if calls.count == 1 {
                let entry = calls[0].entry
                let result = try await base.callRaw(
                    entry.method, params: entry.params, timeout: timeout, options: entry.options)
                settle(calls[0].call, .success(result))
            } else {
                var refused: [Gathered] = []
                try await base.batch(calls.map(\.entry), timeout: timeout, pace: .asTheyCome) { index, outcome in
                    if case .failure(.failed(let error)) = outcome, error.code == .batchTooLarge {
                        refused.append(calls[index])
                    } else {
                        settle(calls[index].call, outcome.mapError(\.underlying))
                    }
                }
                if !refused.isEmpty { return await carryOutInHalves(refused) }
            }
            // Only a caller that does not keep to its contract leaves one out.
            let missing = ClientError.missingResponse(received: nil, delivery: .outcomeUnknown)
            for call in calls { settle(call.call, .failure(missing)) }
        } catch {
            for call in calls { settle(call.call, .failure(error)) }
        }
    }

    /// The session lets fewer calls be in flight than this array makes.
    private func carryOutInHalves(_ calls: [Gathered]) async {
        let middle = (calls.count + 1) / 2
        async let first: Void = carryOut(Array(calls[..<middle]))
        if middle < calls.count { await carryOut(Array(calls[middle...])) }
        await first
    }

    /// Ends a call's wait, unless that is over.
    private func settle(_ call: UInt64, _ outcome: Result<RawJSON, any Error>) {
        let waiter = state.withLock { state -> Waiter? in
            guard let (waiter, flight) = state.waiters.removeValue(forKey: call) else { return nil }
            if let flight { state.flights[flight]?.open -= 1 }
            return waiter
        }
        waiter?.resume(with: outcome)
    }
}
