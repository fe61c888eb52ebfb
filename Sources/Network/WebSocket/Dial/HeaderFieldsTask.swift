// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The task that makes the header fields of a dial. The dial waits until the task is done, the deadline passes, or the
/// dial is cancelled. In the last two cases, the task is cancelled and its result is dropped.
final class HeaderFieldsTask: Sendable {
    typealias Fields = [(name: String, value: String)]

    private struct State {
        var waiter: CheckedContinuation<[WebSocketHeaderField], any Error>?
        /// The result, if it arrived before the dial waited for it.
        var outcome: Result<[WebSocketHeaderField], any Error>?
        var isSettled = false
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    private init() {}

    /// Runs the closure and waits for it.
    ///
    /// - Throws: The closure's error, `CancellationError`, or ``WebSocketError`` with the code `connectTimeout`.
    static func fields(
        from make: @escaping @Sendable () async throws -> Fields, until deadline: ContinuousClock.Instant
    ) async throws -> [WebSocketHeaderField] {
        let running = HeaderFieldsTask()
        let timer = DialDeadline(deadline) {
            running.abandon(
                WebSocketError(
                    .connectTimeout,
                    "Could not connect: dynamicHeaders did not return within the time limit (connectTimeout)."))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            running.start(make)
            return try await withCheckedThrowingContinuation { running.wait($0) }
        } onCancel: {
            running.abandon(CancellationError())
        }
    }

    private func start(_ make: @escaping @Sendable () async throws -> Fields) {
        let task = Task {
            do {
                let fields = try await make()
                settle(.success(fields.map { WebSocketHeaderField($0.name, $0.value) }))
            } catch {
                settle(.failure(error))
            }
        }
        let isLate = state.withLock { state in
            guard !state.isSettled else { return true }
            state.task = task
            return false
        }
        if isLate { task.cancel() }
    }

    private func wait(_ continuation: CheckedContinuation<[WebSocketHeaderField], any Error>) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.waiter = continuation }
            return state.outcome.take()
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    private func abandon(_ error: any Error) {
        settle(.failure(error), cancelsTask: true)
    }

    /// Resumes the waiter, once. An abandoned task is cancelled before that, so that it is cancelled when the dial
    /// throws.
    private func settle(_ outcome: Result<[WebSocketHeaderField], any Error>, cancelsTask: Bool = false) {
        let (task, waiter) = state.withLock { state in
            guard !state.isSettled else { return (nil as Task<Void, Never>?, nil as Waiter?) }
            state.isSettled = true
            if state.waiter == nil { state.outcome = outcome }
            return (state.task.take(), state.waiter.take())
        }
        if cancelsTask { task?.cancel() }
        waiter?.resume(with: outcome)
    }

    private typealias Waiter = CheckedContinuation<[WebSocketHeaderField], any Error>
}
