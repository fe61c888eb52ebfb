// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import Synchronization
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
    private typealias Waiter = CheckedContinuation<RawJSON, any Error>

    private struct Gathered {
        var call: UInt64
        var entry: BatchEntry
        var timeout: CallTimeout
    }

    /// An array in flight.
    private struct Flight {
        var calls: [UInt64]
        /// The number of calls that still wait.
        var open: Int
        var task: Task<Void, Never>?
    }

    private struct State {
        var nextNumber: UInt64 = 0
        var gathered: [Gathered] = []
        /// The number of the window. It distinguishes a window that ended early from the next one.
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

    /// Makes a caller.
    ///
    /// - Parameters:
    ///   - caller: The caller that sends the batches.
    ///   - window: The time that the first call of an array waits for others. The default is 1 ms.
    ///   - limit: The number of calls at which an array is sent before the window ends. The default is 100.
    ///   - clock: The clock of the window. The default is `ContinuousClock`.
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
        // The params are checked here, because a faulty call must not keep the others of its array from being sent.
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

    /// The number of calls that wait for the window to end.
    var gatheredCount: Int { state.withLock { $0.gathered.count } }

    private enum GatherAction {
        case refuse
        case wait
        case openWindow(UInt64)
        case send([Gathered])
    }

    private func gather(_ call: Gathered, _ waiter: Waiter) {
        let action = state.withLock { state -> GatherAction in
            // A cancellation after this line finds the waiter.
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
        // If the clock throws, the window ends as well, because the calls must be sent.
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

    /// Sends the calls of one window: an array for each timeout.
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
            // Outcomes are missing only if the other caller violates its contract.
            let missing = ClientError.missingResponse(received: nil, delivery: .outcomeUnknown)
            for call in calls { settle(call.call, .failure(missing)) }
        } catch {
            for call in calls { settle(call.call, .failure(error)) }
        }
    }

    /// Sends the calls of an array that exceeds `maximumCallsInFlight` in two halves.
    private func carryOutInHalves(_ calls: [Gathered]) async {
        let middle = (calls.count + 1) / 2
        async let first: Void = carryOut(Array(calls[..<middle]))
        if middle < calls.count { await carryOut(Array(calls[middle...])) }
        await first
    }

    /// Ends the wait of a call, unless it has already ended.
    private func settle(_ call: UInt64, _ outcome: Result<RawJSON, any Error>) {
        let waiter = state.withLock { state -> Waiter? in
            guard let (waiter, flight) = state.waiters.removeValue(forKey: call) else { return nil }
            if let flight { state.flights[flight]?.open -= 1 }
            return waiter
        }
        waiter?.resume(with: outcome)
    }
}
