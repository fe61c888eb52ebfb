// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// An operation in a task of its own, which a deadline or another task can end.
final class LimitedOperation: Sendable {
    /// Why an operation was ended.
    enum Reason: Sendable {
        case cancelled
        /// The text says which limit was exceeded.
        case timedOut(String)
    }

    private struct State {
        var cancelTask: (@Sendable () -> Void)?
        var reason: Reason?
        var hasReturned = false
    }

    private let state = Mutex(State())

    /// The first reason for which the operation was ended; `nil` if it was not.
    var reason: Reason? { state.withLock { $0.reason } }

    /// Whether the operation has returned, so that it can no longer be ended.
    var hasReturned: Bool { state.withLock { $0.hasReturned } }

    /// Ends the operation, or the operation that will be run.
    func end(_ reason: Reason) {
        let cancelTask = state.withLock { state in
            state.reason = state.reason ?? reason
            return state.cancelTask.take()
        }
        cancelTask?()
    }

    /// Runs the operation. It begins at once, in the caller's task, and goes on in a task of its own if it waits.
    func run<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async -> Value {
        let task = Task.immediate { await operation() }
        let isEnded = state.withLock { state in
            guard state.reason == nil else { return true }
            state.cancelTask = { task.cancel() }
            return false
        }
        if isEnded { task.cancel() }
        let value = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            self.end(.cancelled)
        }
        // The task is released after the lock.
        _ = state.withLock { state in
            state.hasReturned = true
            return state.cancelTask.take()
        }
        return value
    }
}

/// Holds operations to deadlines.
struct TimeKeeper: Sendable {
    let clock: any HTTPClock
    let scheduler: DeadlineScheduler

    init(clock: any HTTPClock) {
        self.clock = clock
        scheduler = DeadlineScheduler(clock: clock)
    }

    /// Runs an operation, and cancels it at a deadline. Without a deadline it runs in the caller's task.
    ///
    /// - Parameters:
    ///   - deadline: The deadline; `nil` for none.
    ///   - reason: Says which limit was exceeded, in a sentence.
    ///   - operation: Gets a closure that moves the deadline.
    /// - Throws: An ``HTTPTransportError`` with the code `timedOut`; the error of the operation.
    func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant?, reason: @autoclosure @escaping @Sendable () -> String,
        _ operation: @escaping @Sendable (@escaping @Sendable (ContinuousClock.Instant) -> Void) async throws -> Value
    ) async throws -> Value {
        guard let deadline else { return try await operation { _ in } }
        try Task.checkCancellation()
        let limited = LimitedOperation()
        let scheduler = scheduler
        let token = scheduler.schedule(at: deadline) { limited.end(.timedOut(reason())) }
        defer { scheduler.remove(token) }
        let result = await limited.run { () -> Result<Value, any Error> in
            do {
                return .success(try await operation { scheduler.move(token, to: $0) })
            } catch {
                return .failure(error)
            }
        }
        if case .failure = result, case .timedOut(let reason)? = limited.reason {
            throw HTTPTransportError(.timedOut, reason)
        }
        return try result.get()
    }
}

extension Duration {
    /// The duration for people, such as "1.5 s".
    var text: String {
        let (seconds, attoseconds) = components
        let fraction = Double(attoseconds) / 1e18
        let value = Double(seconds) + fraction
        return value == value.rounded() ? "\(seconds) s" : "\((value * 1000).rounded() / 1000) s"
    }
}

extension ContinuousClock.Instant {
    /// The instant after a duration, or nil after a duration of more than a century, which stands for no limit.
    func advanced(within duration: Duration?) -> Self? {
        guard let duration, duration < .seconds(3_155_760_000) else { return nil }
        return advanced(by: duration)
    }
}
