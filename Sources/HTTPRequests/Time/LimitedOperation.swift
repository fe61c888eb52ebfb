// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// An operation in a task of its own, which a time limit or another task can end.
final class LimitedOperation: Sendable {
    /// Why an operation was ended.
    enum Reason: Sendable {
        case cancelled
        case timedOut(TimeLimit)
    }

    /// A limit that is in force.
    private struct Stage {
        var number: UInt64
        var limit: TimeLimit
        var deadline: ContinuousClock.Instant
    }

    private struct State {
        var task: Task<Void, Never>?
        var reason: Reason?
        var hasReturned = false
        var stages: [Stage] = []
        var lastNumber: UInt64 = 0
    }

    /// The request that the operation sends; `nil` for a part of a request.
    let request: (any HTTPAPIRequest)?
    private let keeper: TimeKeeper
    private let state = Mutex(State())

    init(_ request: (any HTTPAPIRequest)? = nil, keeper: TimeKeeper) {
        self.request = request
        self.keeper = keeper
    }

    /// The first reason for which the operation was ended; `nil` if it was not.
    var reason: Reason? { state.withLock { $0.reason } }

    /// Whether the operation has returned, so that it can no longer be ended.
    var hasReturned: Bool { state.withLock { $0.hasReturned } }

    /// The earliest deadline of a limit that is in force.
    var deadline: ContinuousClock.Instant? { state.withLock { $0.stages.lazy.map(\.deadline).min() } }

    // MARK: Limits

    /// Puts a limit in force. The operation ends at the deadline. Returns a number for ``lift(_:)``.
    func impose(_ limit: TimeLimit, until deadline: ContinuousClock.Instant) -> UInt64 {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.stages.append(Stage(number: state.lastNumber, limit: limit, deadline: deadline))
            return state.lastNumber
        }
        keeper.wake(by: deadline)
        return number
    }

    /// Changes the deadline of a limit that is still in force.
    func move(_ number: UInt64, to deadline: ContinuousClock.Instant) {
        state.withLock { state in
            guard let index = state.stages.firstIndex(where: { $0.number == number }) else { return }
            state.stages[index].deadline = deadline
        }
        keeper.wake(by: deadline)
    }

    /// Ends the force of a limit.
    func lift(_ number: UInt64) { state.withLock { $0.stages.removeAll { $0.number == number } } }

    /// Ends the operation if a limit is exceeded.
    func check(at now: ContinuousClock.Instant) {
        let exceeded = state.withLock { state in
            state.stages.filter { $0.deadline <= now }.min { $0.deadline < $1.deadline }
        }
        guard let exceeded else { return }
        lift(exceeded.number)
        end(.timedOut(exceeded.limit))
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
    func run<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async -> Value {
        let place = keeper.add(self)
        defer { keeper.remove(place) }
        // The keeper may have looked at the operations before this one was among them.
        if let deadline { keeper.wake(by: deadline) }
        return await withTaskCancellationHandler {
            // To wait for the value of a task takes a lock of the task, which costs more than a continuation.
            await withCheckedContinuation { waiter in
                // `Task.immediate` would save a change of thread, but its tasks look for a preferred executor, under a
                // lock, at each switch between functions that are not isolated.
                let task = Task {
                    let value = await operation()
                    finish()
                    waiter.resume(returning: value)
                }
                hold(task)
            }
        } onCancel: {
            end(.cancelled)
        }
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
