// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import Synchronization

/// The running operations of a session or a client, with one sleeping task for all of their limits.
///
/// Most limits are lifted before they are exceeded, and most new limits end later than earlier ones. So a new limit
/// rarely wakes the task, and the task checks the operations once per shortest limit.
package final class TimeKeeper: Sendable {
    private struct Entry {
        let operation: LimitedOperation
        /// A `RequestExchange`, or a part of a request.
        let work: any LimitedWork
    }

    private struct State {
        /// The operations. Free places are reused.
        var entries: [Entry?] = []
        var freePlaces: [Int] = []
        /// The time at which the task wakes; `nil` without a task.
        var wakeUp: ContinuousClock.Instant?
        var sleeper: Task<Void, Never>?
        /// The number of tasks so far, so that a replaced task has no effect.
        var generation: UInt64 = 0

        func wakes(by deadline: ContinuousClock.Instant) -> Bool { wakeUp.map { $0 <= deadline } ?? false }
    }

    package let clock: any HTTPClock
    private let state = Mutex(State())

    package init(clock: any HTTPClock) { self.clock = clock }

    deinit { state.withLock { $0.sleeper }?.cancel() }

    // MARK: Operations

    /// Adds an operation. Returns its place for ``remove(_:)``.
    func add(_ operation: LimitedOperation, for work: any LimitedWork) -> Int {
        let entry = Entry(operation: operation, work: work)
        return state.withLock { state in
            if let place = state.freePlaces.popLast() {
                state.entries[place] = entry
                return place
            }
            state.entries.append(entry)
            return state.entries.count - 1
        }
    }

    func remove(_ place: Int) {
        // The operation is released outside the lock.
        _ = state.withLock { state in
            state.freePlaces.append(place)
            return state.entries[place].take()
        }
    }

    /// Ends the operations that send a request of a type, and returns their number.
    func cancel<Request: HTTPAPIRequest>(_ type: Request.Type, passingTest test: (Request) -> Bool) -> Int {
        var count = 0
        for entry in entries {
            guard let exchange = entry.work as? RequestExchange<Request>, test(exchange.request) else { continue }
            entry.operation.end(.cancelled)
            count += 1
        }
        return count
    }

    private var entries: [Entry] { state.withLock { $0.entries.compactMap { $0 } } }

    /// Runs a part of a request in a task of its own, and cancels it at a deadline. Without a deadline it runs in the
    /// caller's task.
    ///
    /// - Parameter part: Gets a closure that moves the deadline.
    /// - Throws: An ``HTTPTransportError`` with the code `timedOut`; the error of the part.
    func run<Value: Sendable>(
        _ limit: TimeLimit, until deadline: ContinuousClock.Instant?,
        _ part: @escaping @Sendable (@escaping @Sendable (ContinuousClock.Instant) -> Void) async throws -> Value
    ) async throws -> Value {
        guard let deadline else { return try await part { _ in } }
        try Task.checkCancellation()
        let operation = LimitedOperation(keeper: self)
        let number = operation.impose(limit, until: deadline)
        let result = await operation.outcome(of: { try await part { operation.move(number, to: $0) } })
        if case .failure = result, case .timedOut(let limit)? = operation.reason {
            throw HTTPTransportError(.timedOut, limit.exceeded)
        }
        return try result.get()
    }

    /// Runs work in a task of its own, and returns when it has ended.
    ///
    /// - Returns: Whether the deadline or ``endAll()`` has cancelled it. It may have succeeded nevertheless.
    package func run(_ work: any LimitedWork, until deadline: ContinuousClock.Instant?) async -> Bool {
        let operation = LimitedOperation(keeper: self)
        if let deadline { _ = operation.impose(.total, until: deadline) }
        await operation.run(work)
        if case .timedOut? = operation.reason { return true }
        return false
    }

    package var runningCount: Int { entries.count }

    /// Ends all operations, as if their total limits were exceeded.
    package func endAll() {
        for entry in entries { entry.operation.end(.timedOut(.total)) }
    }

    // MARK: The sleeping task

    /// Makes sure that the operations are checked at a time, or earlier.
    func wake(by deadline: ContinuousClock.Instant) {
        let (replaced, generation) = state.withLock { state -> (Task<Void, Never>?, UInt64?) in
            // Most new limits end later than the task wakes.
            if state.wakes(by: deadline) { return (nil, nil) }
            state.wakeUp = deadline
            state.generation += 1
            return (state.sleeper.take(), state.generation)
        }
        replaced?.cancel()
        guard let generation else { return }
        let sleeper = Task { [clock, weak self] in
            guard (try? await clock.sleep(until: deadline)) != nil else { return }
            self?.look(generation)
        }
        let isReplaced = state.withLock { state in
            guard state.generation == generation, state.wakeUp != nil else { return true }
            state.sleeper = sleeper
            return false
        }
        if isReplaced { sleeper.cancel() }
    }

    private func look(_ generation: UInt64) {
        let isReplaced = state.withLock { state in
            guard state.generation == generation else { return true }
            state.wakeUp = nil
            state.sleeper = nil
            return false
        }
        if isReplaced { return }
        let operations = entries.map(\.operation)
        let now = clock.now
        for operation in operations { operation.check(at: now) }
        if let next = operations.lazy.compactMap(\.deadline).min() { wake(by: next) }
    }
}

/// An operation in a task of its own, which a time limit or another task can end.
final class LimitedOperation: Sendable {
    enum Reason: Sendable {
        case cancelled
        case timedOut(TimeLimit)
    }

    private struct State {
        var task: Task<Void, Never>?
        var reason: Reason?
        var hasReturned = false
        var isChecked = false
        var limits = ImposedLimits()
        var lastRequest: HTTPRequest?
    }

    private let keeper: TimeKeeper
    private let state = Mutex(State())

    init(keeper: TimeKeeper) { self.keeper = keeper }

    /// The first reason for which the operation was ended; `nil` if it was not.
    var reason: Reason? { state.withLock { $0.reason } }

    /// Whether the operation has returned, so that it can no longer be ended.
    var hasReturned: Bool { state.withLock { $0.hasReturned } }

    var deadline: ContinuousClock.Instant? { state.withLock { $0.limits.deadline } }

    // MARK: The request

    /// The last request that was noted; `nil` if the request was sent as it was made.
    var lastRequest: HTTPRequest? { state.withLock { $0.lastRequest } }

    /// Notes a request that an interceptor or a redirect may have changed.
    func noteRequest(_ request: HTTPRequest) {
        // The former one is released outside the lock.
        _ = state.withLock { state in
            defer { state.lastRequest = request }
            return state.lastRequest
        }
    }

    // MARK: Limits

    /// Imposes a limit: the operation ends at the deadline. Returns a number for ``lift(_:)``.
    func impose(_ limit: TimeLimit, until deadline: ContinuousClock.Instant) -> UInt64 {
        let (number, isChecked) = state.withLock { ($0.limits.impose(limit, until: deadline), $0.isChecked) }
        // For limits that are imposed before, `run` wakes the keeper.
        if isChecked { keeper.wake(by: deadline) }
        return number
    }

    func move(_ number: UInt64, to deadline: ContinuousClock.Instant) {
        state.withLock { $0.limits.move(number, to: deadline) }
        keeper.wake(by: deadline)
    }

    func lift(_ number: UInt64) { state.withLock { $0.limits.lift(number) } }

    func check(at now: ContinuousClock.Instant) {
        if let limit = state.withLock({ $0.limits.liftExceeded(at: now) }) { end(.timedOut(limit)) }
    }

    // MARK: The task

    /// Ends the operation, or the operation that will be run.
    func end(_ reason: Reason) {
        let task = state.withLock { state in
            state.reason = state.reason ?? reason
            return state.task.take()
        }
        task?.cancel()
    }

    /// Runs the operation, in a task of its own.
    func run(_ work: any LimitedWork) async {
        let place = keeper.add(self, for: work)
        defer { keeper.remove(place) }
        let deadline = state.withLock { state in
            state.isChecked = true
            return state.limits.deadline
        }
        if let deadline { keeper.wake(by: deadline) }
        await withTaskCancellationHandler {
            // Awaiting the value of a task takes a lock of the task, which costs more than a continuation. The task
            // resumes the continuation exactly once, at its end.
            await withUnsafeContinuation { waiter in
                // `Task.immediate` would save a change of thread, but its tasks look for a preferred executor, under a
                // lock, at each switch between functions that are not isolated.
                let task = Task {
                    await work.run()
                    finish()
                    waiter.resume()
                }
                hold(task)
            }
        } onCancel: {
            end(.cancelled)
        }
    }

    func outcome<Value: Sendable>(
        of part: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error> {
        let work = PartOfRequest(part)
        await run(work)
        return work.outcome
    }

    private func hold(_ task: Task<Void, Never>) {
        let isEnded = state.withLock { state in
            if state.hasReturned { return false }
            guard state.reason == nil else { return true }
            state.task = task
            return false
        }
        if isEnded { task.cancel() }
    }

    private func finish() {
        // The task is released outside the lock.
        _ = state.withLock { state in
            state.hasReturned = true
            return state.task.take()
        }
    }
}

/// The work of an operation in its task. It stores the outcome.
package protocol LimitedWork: AnyObject, Sendable {
    func run() async
}

/// A part of a request. Its outcome needs no lock: it is stored in the task of the operation, and the caller reads it
/// after that task has resumed it.
final class PartOfRequest<Value: Sendable>: LimitedWork, @unchecked Sendable {
    private let part: @Sendable () async throws -> Value
    private var ended: Result<Value, any Error>?

    init(_ part: @escaping @Sendable () async throws -> Value) { self.part = part }

    var outcome: Result<Value, any Error> { ended ?? .failure(CancellationError()) }

    func run() async {
        do { ended = .success(try await part()) } catch { ended = .failure(error) }
    }
}
