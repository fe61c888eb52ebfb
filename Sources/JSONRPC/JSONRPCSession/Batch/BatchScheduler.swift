// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import TaskWaits
package import WireJSON

/// Gathers calls that are made close together, and passes them on in batches. It is the only scheduler of batches:
/// ``BatchingCaller`` and the HTTP client use it.
///
/// The first call opens a window. The calls wait until the window ends, or a limit is reached. Calls with different
/// keys are in different batches. A cancelled call ends at once. The task of a batch is cancelled only when all its
/// calls have been cancelled.
package final class BatchScheduler<Member: Sendable, Key: Hashable & Sendable>: Sendable {
    /// Sends a batch. Calls without an outcome at its end fail with ``ClientError/Code/missingResponse``.
    package typealias CarryOut = @Sendable (ScheduledBatch<Member, Key>) async -> Void

    private typealias Wait = CancellableWait<RawJSON>

    fileprivate struct Gathered {
        var number: UInt64
        var member: Member
        var key: Key
        var bytes: Int
    }

    /// A batch that was passed on.
    private struct Flight {
        /// The number of calls that still wait.
        var open: Int
        var task: Task<Void, Never>?
    }

    private struct State {
        var nextNumber: UInt64 = 0
        var gathered: [Gathered] = []
        /// The bytes of the gathered calls as one array: brackets, and each member with a comma, as `SessionConfiguration.BatchLimits` counts.
        var bytes = 2
        /// The number of the window. It distinguishes a window that ended early from the next one.
        var window: UInt64 = 0
        var waits: [UInt64: (wait: Wait, flight: UInt64?)] = [:]
        var flights: [UInt64: Flight] = [:]

        mutating func number() -> UInt64 {
            nextNumber += 1
            return nextNumber
        }

        /// Ends the window.
        mutating func take() -> [Gathered] {
            window += 1
            bytes = 2
            defer { gathered = [] }
            return gathered
        }

        mutating func add(_ call: Gathered) {
            gathered.append(call)
            bytes += call.bytes + 1
        }

        mutating func remove(_ number: UInt64) {
            guard let index = gathered.firstIndex(where: { $0.number == number }) else { return }
            bytes -= gathered.remove(at: index).bytes + 1
            // The next call opens a window of its own.
            if gathered.isEmpty { window += 1 }
        }
    }

    private let window: Duration
    private let limits: @Sendable () -> SessionConfiguration.BatchLimits
    private let clock: any SessionClock
    private let carryOut: CarryOut
    private let state = Mutex(State())

    /// Makes a scheduler.
    ///
    /// - Parameters:
    ///   - window: The time that the first call waits for others. With zero it waits for one turn of the executor, and
    ///     no timer is used.
    ///   - clock: The clock of the window.
    ///   - limits: Returns the limits, which count the calls of all keys. At the limit of members, or when one more
    ///     call would exceed the limit of bytes, the gathered calls are passed on at once.
    ///   - carryOut: Sends a batch.
    package init(
        window: Duration, clock: any SessionClock, limits: @escaping @Sendable () -> SessionConfiguration.BatchLimits,
        carryOut: @escaping CarryOut
    ) {
        self.window = window
        self.clock = clock
        self.limits = limits
        self.carryOut = carryOut
    }

    /// The number of calls that wait for the window to end.
    package var gatheredCount: Int { state.withLock { $0.gathered.count } }

    /// Adds a call to the window, and returns its result.
    ///
    /// - Parameters:
    ///   - member: The call.
    ///   - key: Calls with equal keys may be in one batch.
    ///   - bytes: The size of the call in an array. It counts for the limit of bytes.
    /// - Throws: The error that ``ScheduledBatch/settle(_:_:)`` gets; a `CancellationError`.
    package func result(of member: Member, key: Key, bytes: Int) async throws -> RawJSON {
        let number = state.withLock { $0.number() }
        let call = Gathered(number: number, member: member, key: key, bytes: bytes)
        try Task.checkCancellation()
        let wait = Wait()
        gather(call, wait)
        do {
            return try await wait.value()
        } catch {
            leave(number)
            throw error
        }
    }

    /// Ends the window now.
    package func flush() { send(state.withLock { $0.take() }) }

    // MARK: Gathering

    private struct GatherAction {
        /// The windows that have ended.
        var due: [[Gathered]] = []
        /// The window that begins.
        var opened: UInt64?
    }

    private func gather(_ call: Gathered, _ wait: Wait) {
        let limits = limits()
        let action = state.withLock { state -> GatherAction in
            var action = GatherAction()
            state.waits[call.number] = (wait, nil)
            if !state.gathered.isEmpty, state.bytes + call.bytes + 1 > limits.maximumBytes {
                action.due.append(state.take())
            }
            state.add(call)
            if state.gathered.count >= max(1, limits.maximumMembers) || state.bytes >= limits.maximumBytes {
                action.due.append(state.take())
            } else if state.gathered.count == 1 {
                action.opened = state.window
            }
            return action
        }
        for calls in action.due { send(calls) }
        if let number = action.opened {
            let end = clock.now.advanced(by: window)
            Task { await closeWindow(number, at: end) }
        }
    }

    private func closeWindow(_ number: UInt64, at end: SessionTime) async {
        if window > .zero {
            // If the clock throws, the window ends as well, because the calls must be sent.
            _ = await clock.isReached(end)
        } else {
            await Task.yield()
        }
        let calls = state.withLock { $0.window == number ? $0.take() : [] }
        send(calls)
    }

    /// A call's task was cancelled, or the call has failed.
    private func leave(_ number: UInt64) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard let (_, flight) = state.waits.removeValue(forKey: number) else { return nil }
            guard let flight else {
                state.remove(number)
                return nil
            }
            state.flights[flight]?.open -= 1
            return state.flights[flight]?.open == 0 ? state.flights[flight]?.task : nil
        }
        task?.cancel()
    }

    // MARK: Sending

    /// Passes on the calls of one window: a batch for each key.
    private func send(_ calls: [Gathered]) {
        var batches: [[Gathered]] = []
        var places: [Key: Int] = [:]
        for call in calls {
            if let place = places[call.key] {
                batches[place].append(call)
            } else {
                places[call.key] = batches.count
                batches.append([call])
            }
        }
        for batch in batches { launch(batch, batch[0].key) }
    }

    private func launch(_ calls: [Gathered], _ key: Key) {
        let number = state.withLock { state in
            let number = state.number()
            let open = calls.filter { state.waits[$0.number] != nil }
            for call in open { state.waits[call.number]?.flight = number }
            state.flights[number] = Flight(open: open.count)
            return number
        }
        let batch = ScheduledBatch(
            key: key, members: calls.map(\.member), numbers: calls.map(\.number), scheduler: self)
        let task = Task { await fly(batch, number) }
        let isAbandoned = state.withLock { state in
            state.flights[number]?.task = task
            return state.flights[number]?.open == 0
        }
        if isAbandoned { task.cancel() }
    }

    private func fly(_ batch: ScheduledBatch<Member, Key>, _ number: UInt64) async {
        await carryOut(batch)
        // Outcomes are missing only if the sender violates its contract.
        let missing = ClientError.missingResponse(received: nil, delivery: .outcomeUnknown)
        for index in batch.members.indices { batch.settle(index, .failure(missing)) }
        state.withLock { _ = $0.flights.removeValue(forKey: number) }
    }

    fileprivate func isWaiting(_ number: UInt64) -> Bool { state.withLock { $0.waits[number]?.wait.isOver == false } }

    /// Ends the wait of a call, unless it has already ended.
    fileprivate func settle(_ number: UInt64, _ outcome: Result<RawJSON, any Error>) {
        let wait = state.withLock { state -> Wait? in
            guard let (wait, flight) = state.waits.removeValue(forKey: number) else { return nil }
            if let flight { state.flights[flight]?.open -= 1 }
            return wait
        }
        wait?.resume(with: outcome)
    }
}

/// Calls of one window that have the same key, in the order in which they were made.
package struct ScheduledBatch<Member: Sendable, Key: Hashable & Sendable>: Sendable {
    /// The key of the calls.
    package let key: Key
    /// The calls; at least one.
    package let members: [Member]
    fileprivate let numbers: [UInt64]
    fileprivate let scheduler: BatchScheduler<Member, Key>

    /// Returns whether a call has no outcome and was not cancelled.
    package func isWaiting(_ index: Int) -> Bool { scheduler.isWaiting(numbers[index]) }

    /// Ends a call. The first outcome wins.
    package func settle(_ index: Int, _ outcome: Result<RawJSON, any Error>) {
        scheduler.settle(numbers[index], outcome)
    }
}
