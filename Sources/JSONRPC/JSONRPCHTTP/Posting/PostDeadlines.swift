// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import Synchronization

/// Ends POSTs at their deadlines, with one sleeping task for all POSTs of a client, and when the client is closed.
///
/// Most POSTs end before, so a deadline costs an entry in a table. A timer and a second task for each POST cost as much as
/// the rest of a call.
final class PostDeadlines: Sendable {
    private let table: DeadlineTable
    private let timer: SessionTimer
    private let endExpired: @Sendable () -> SessionTime?

    init(clock: any SessionClock) {
        let table = DeadlineTable(clock: clock)
        self.table = table
        timer = SessionTimer(clock: clock)
        endExpired = { table.endExpired() }
    }

    deinit { timer.stop() }

    /// The number of operations that have not ended.
    var runningCount: Int { table.count }

    /// Ends the operations that run.
    func endAll() {
        for task in table.all { task.end(hasExpired: true) }
    }

    /// Returns the value of an operation, which runs in a task of its own; `nil` if the deadline or ``endAll()`` has ended
    /// it. It returns when the operation has ended.
    ///
    /// - Throws: The error of the operation.
    func value<Value: Sendable>(
        until deadline: SessionTime?, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let task = EndableTask()
        let number = table.add(task, until: deadline)
        defer { table.remove(number) }
        if let deadline { timer.set(to: deadline, endExpired) }
        let result = await task.result(of: operation)
        if case .failure = result, task.hasExpired { return nil }
        return try result.get()
    }
}

/// The operations that have not ended, and their deadlines.
private final class DeadlineTable: Sendable {
    private struct State {
        var lastNumber: UInt64 = 0
        var entries: [UInt64: (deadline: SessionTime?, task: EndableTask)] = [:]
    }

    private let clock: any SessionClock
    private let state = Mutex(State())

    init(clock: any SessionClock) { self.clock = clock }

    var count: Int { state.withLock { $0.entries.count } }

    var all: [EndableTask] { state.withLock { $0.entries.values.map(\.task) } }

    func add(_ task: EndableTask, until deadline: SessionTime?) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.entries[state.lastNumber] = (deadline, task)
            return state.lastNumber
        }
    }

    func remove(_ number: UInt64) {
        // The task is released after the lock.
        _ = state.withLock { $0.entries.removeValue(forKey: number) }
    }

    /// Ends the operations whose time has come. Returns the next deadline.
    func endExpired() -> SessionTime? {
        let now = clock.now
        let (expired, next) = state.withLock { state in
            let entries = state.entries.values
            return (
                entries.filter { $0.deadline.map { $0 <= now } ?? false }.map(\.task),
                entries.lazy.compactMap(\.deadline).filter { $0 > now }.min()
            )
        }
        for task in expired { task.end(hasExpired: true) }
        return next
    }
}

/// A task that its caller's cancellation or a deadline can end.
private final class EndableTask: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isEnded = false
        var hasExpired = false
        var hasReturned = false
    }

    private let state = Mutex(State())

    /// Whether a deadline, or the end of the client, has ended the task.
    var hasExpired: Bool { state.withLock { $0.hasExpired } }

    /// Runs an operation to its end.
    func result<Value: Sendable>(
        of operation: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                hold(
                    Task {
                        let result: Result<Value, any Error>
                        do { result = .success(try await operation()) } catch { result = .failure(error) }
                        finish()
                        continuation.resume(returning: result)
                    })
            }
        } onCancel: {
            end(hasExpired: false)
        }
    }

    private func hold(_ task: Task<Void, Never>) {
        let isEnded = state.withLock { state in
            // The operation may have returned before this line.
            if !state.hasReturned, !state.isEnded { state.task = task }
            return state.isEnded
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

    /// Cancels the task, or the task that will be held.
    func end(hasExpired: Bool) {
        let task = state.withLock { state in
            if !state.isEnded {
                state.isEnded = true
                state.hasExpired = hasExpired
            }
            return state.task.take()
        }
        task?.cancel()
    }
}
