// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import Synchronization

/// An operation in a task of its own, which a time limit or another task can end.
final class LimitedOperation: Sendable {
    /// Why an operation was ended.
    enum Reason: Sendable {
        case cancelled
        case timedOut(TimeLimit)
    }

    private struct State {
        var task: Task<Void, Never>?
        var reason: Reason?
        var hasReturned = false
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

    /// The earliest deadline of a limit that is in force.
    var deadline: ContinuousClock.Instant? { state.withLock { $0.limits.deadline } }

    // MARK: The request

    /// The last request that was noted; `nil` if the request was sent as it was made.
    var lastRequest: HTTPRequest? { state.withLock { $0.lastRequest } }

    /// Notes a request that an interceptor or a redirect may have changed.
    func noteRequest(_ request: HTTPRequest) {
        // The former one is released after the lock.
        _ = state.withLock { state in
            defer { state.lastRequest = request }
            return state.lastRequest
        }
    }

    // MARK: Limits

    /// Puts a limit in force. The operation ends at the deadline. Returns a number for ``lift(_:)``.
    func impose(_ limit: TimeLimit, until deadline: ContinuousClock.Instant) -> UInt64 {
        let number = state.withLock { $0.limits.impose(limit, until: deadline) }
        keeper.wake(by: deadline)
        return number
    }

    /// Changes the deadline of a limit that is still in force.
    func move(_ number: UInt64, to deadline: ContinuousClock.Instant) {
        state.withLock { $0.limits.move(number, to: deadline) }
        keeper.wake(by: deadline)
    }

    /// Ends the force of a limit.
    func lift(_ number: UInt64) { state.withLock { $0.limits.lift(number) } }

    /// Ends the operation if a limit is exceeded.
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
        // The keeper may have looked at the operations before this one was among them.
        if let deadline { keeper.wake(by: deadline) }
        await withTaskCancellationHandler {
            // To wait for the value of a task takes a lock of the task, which costs more than a continuation. The task
            // resumes it exactly once, at its end.
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

    /// Runs a part of a request, and returns its outcome.
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
        // The task is released after the lock.
        _ = state.withLock { state in
            state.hasReturned = true
            return state.task.take()
        }
    }
}

/// What an operation does in its task. It keeps the outcome.
protocol LimitedWork: AnyObject, Sendable {
    func run() async
}

/// A part of a request. Its outcome needs no lock: it is stored in the task of the operation, and the caller reads it after
/// that task has resumed it.
private final class PartOfRequest<Value: Sendable>: LimitedWork, @unchecked Sendable {
    private let part: @Sendable () async throws -> Value
    private(set) var outcome: Result<Value, any Error> = .failure(CancellationError())

    init(_ part: @escaping @Sendable () async throws -> Value) { self.part = part }

    func run() async {
        do { outcome = .success(try await part()) } catch { outcome = .failure(error) }
    }
}
