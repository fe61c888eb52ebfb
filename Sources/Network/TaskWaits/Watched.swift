// swift-jsonrpc · SPDX-License-Identifier: MIT

public import Synchronization

/// A value under a lock, and the tasks that wait until a condition on it holds.
///
/// Conditions are called under the lock, so they must only compare. Tasks are resumed after the lock is released.
@usableFromInline
package final class Watched<Value: Sendable>: Sendable {
    package typealias Wait = CancellableWait<Bool>

    @usableFromInline struct State: Sendable {
        @usableFromInline var value: Value
        var conditions: [Wait: @Sendable (Value) -> Bool] = [:]

        /// Removes and returns the waits whose condition holds. They are resumed after the lock is released.
        mutating func takeMet() -> [Wait] {
            guard !conditions.isEmpty else { return [] }
            let met = conditions.compactMap { $0.value(value) ? $0.key : nil }
            for wait in met { conditions[wait] = nil }
            return met
        }
    }

    @usableFromInline let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var value: Value { state.withLock { $0.value } }

    /// The number of waits whose condition does not hold yet.
    package var waitingCount: Int { state.withLock { $0.conditions.count } }

    /// Reads or changes the value. After a change that can meet a condition, the caller must call ``notify()``. It is
    /// inlined into other modules, which would otherwise call it without specialization.
    @inlinable package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { state throws(Failure) in try body(&state.value) }
    }

    /// Resumes the tasks whose condition holds now. It must not be called under a lock.
    package func notify() {
        for wait in state.withLock({ $0.takeMet() }) { wait.resume(returning: true) }
    }

    /// Changes the value, and resumes the tasks whose condition then holds. It must not be called under a lock.
    @discardableResult
    package func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, met) = state.withLock { state in
            let result = change(&state.value)
            return (result, state.takeMet())
        }
        for wait in met { wait.resume(returning: true) }
        return result
    }

    /// Waits until a condition holds. It returns at once if the condition holds already.
    ///
    /// - Parameters:
    ///   - isMet: The condition.
    ///   - begun: Gets the wait if the condition does not hold yet. A timer can end the wait with `false`. The default
    ///     does nothing.
    /// - Returns: `true` if the condition holds, or the value with which the wait was ended.
    /// - Throws: A `CancellationError` if the task is cancelled first.
    @discardableResult
    package func wait(
        until isMet: @escaping @Sendable (Value) -> Bool, begun: (Wait) -> Void = { _ in }
    ) async throws -> Bool {
        guard let wait = addWait(until: isMet) else { return true }
        defer { state.withLock { $0.conditions[wait] = nil } }
        begun(wait)
        return try await wait.value()
    }

    /// Adds a wait, whose outcome is `true` when a condition holds after a change. The wait is kept until then.
    ///
    /// - Parameters:
    ///   - isMet: The condition.
    ///   - wasMet: The condition for the current value. The default is `isMet`.
    /// - Returns: The wait, or `nil` if the condition already holds.
    package func addWait(
        until isMet: @escaping @Sendable (Value) -> Bool, unless wasMet: ((Value) -> Bool)? = nil
    ) -> Wait? {
        state.withLock { state in
            guard !(wasMet ?? isMet)(state.value) else { return nil }
            let wait = Wait()
            state.conditions[wait] = isMet
            return wait
        }
    }
}
