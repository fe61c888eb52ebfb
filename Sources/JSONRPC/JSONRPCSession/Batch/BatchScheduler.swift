// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization
import TaskWaits
package import WireJSON

/// Gathers calls that are made close together, and passes them on in batches.
///
/// The first call opens a window. The calls wait until the window ends, or a limit is reached. Calls with different
/// keys are in different batches. A cancelled call ends at once. The task of a batch is cancelled only when all its
/// calls have been cancelled.
package final class BatchScheduler<Member: Sendable, Key: Hashable & Sendable>: Sendable {
    /// Sends a batch. Calls without an outcome at its end fail with ``ClientError/Code/missingResponse``.
    package typealias CarryOut = @Sendable (ScheduledBatch<Member, Key>) async -> Void

    fileprivate typealias Wait = CancellableWait<RawJSON>

    private final class Gathered: Sendable {
        let wait = Wait()
        let member: Member
        let key: Key
        let bytes: Int
        /// The batch with which the call was passed on.
        let flight = Mutex<Flight?>(nil)

        init(_ member: Member, _ key: Key, bytes: Int) { (self.member, self.key, self.bytes) = (member, key, bytes) }
    }

    /// A batch that was passed on.
    private final class Flight: Sendable {
        private let waits: [Wait]
        private let task = Mutex<Task<Void, Never>?>(nil)

        init(_ waits: [Wait]) { self.waits = waits }

        func begun(_ started: Task<Void, Never>) {
            task.withLock { $0 = started }
            cancelIfAbandoned()
        }

        /// Cancels the task if no call waits for an outcome.
        func cancelIfAbandoned() {
            if waits.allSatisfy(\.isOver) { task.withLock { $0 }?.cancel() }
        }
    }

    private struct State {
        var gathered: [Gathered] = []
        /// The bytes of the gathered calls as one array: brackets, and each member with a comma, as
        /// `SessionConfiguration.BatchLimits` counts.
        var bytes = 2
        /// The number of the window. It distinguishes a window that ended early from the next one.
        var window: UInt64 = 0

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

        mutating func remove(_ call: Gathered) {
            guard let index = gathered.firstIndex(where: { $0 === call }) else { return }
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

    package var gatheredCount: Int { state.withLock { $0.gathered.count } }

    /// Adds a call to the window, and returns its result.
    ///
    /// - Parameters:
    ///   - member: The call.
    ///   - key: Calls with equal keys may be in one batch.
    ///   - bytes: The size of the call in an array. It counts for the limit of bytes.
    /// - Throws: The error that ``ScheduledBatch/settle(_:_:)`` gets; a `CancellationError`.
    package func result(of member: Member, key: Key, bytes: Int) async throws -> RawJSON {
        try Task.checkCancellation()
        let call = Gathered(member, key, bytes: bytes)
        gather(call)
        do {
            return try await call.wait.value()
        } catch let error as CancellationError {
            state.withLock { $0.remove(call) }
            call.flight.withLock { $0 }?.cancelIfAbandoned()
            throw error
        }
    }

    package func flush() { send(state.withLock { $0.take() }) }

    // MARK: Gathering

    private struct GatherAction {
        /// The windows that have ended.
        var due: [[Gathered]] = []
        /// The window that begins.
        var opened: UInt64?
    }

    private func gather(_ call: Gathered) {
        let limits = limits()
        let action = state.withLock { state -> GatherAction in
            var action = GatherAction()
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
        for batch in batches { launch(batch) }
    }

    private func launch(_ calls: [Gathered]) {
        let waits = calls.map(\.wait)
        let flight = Flight(waits)
        for call in calls { call.flight.withLock { $0 = flight } }
        let batch = ScheduledBatch(key: calls[0].key, members: calls.map(\.member), waits: waits)
        flight.begun(Task { await fly(batch) })
    }

    private func fly(_ batch: ScheduledBatch<Member, Key>) async {
        await carryOut(batch)
        // Outcomes are missing only if the sender violates its contract.
        let missing = ClientError.missingResponse(received: nil, delivery: .outcomeUnknown)
        for index in batch.members.indices where batch.isWaiting(index) { batch.settle(index, .failure(missing)) }
    }
}

/// Calls of one window that have the same key, in the order in which they were made.
package struct ScheduledBatch<Member: Sendable, Key: Hashable & Sendable>: Sendable {
    package let key: Key
    /// The calls; at least one.
    package let members: [Member]
    fileprivate let waits: [CancellableWait<RawJSON>]

    /// Returns whether a call has no outcome and was not cancelled.
    package func isWaiting(_ index: Int) -> Bool { !waits[index].isOver }

    /// Ends a call. The first outcome wins.
    package func settle(_ index: Int, _ outcome: Result<RawJSON, any Error>) {
        waits[index].resume(with: outcome)
    }
}
