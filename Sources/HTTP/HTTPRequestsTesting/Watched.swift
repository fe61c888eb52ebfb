// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import TaskWaits

/// A value that any number of tasks change, and for whose conditions tasks wait.
final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waits = ConditionWaits<Value>()
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    /// Changes the value, and resumes the tasks whose conditions then hold.
    @discardableResult
    func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, met) = state.withLock { state in
            let result = change(&state.value)
            return (result, state.waits.takeMet(by: state.value))
        }
        met.resume(returning: true)
        return result
    }

    /// Waits until a condition holds. It returns at once if it holds already.
    ///
    /// - Throws: A `CancellationError`.
    func wait(until condition: @escaping @Sendable (Value) -> Bool) async throws {
        let wait = state.withLock { condition($0.value) ? nil : $0.waits.add(condition) }
        guard let wait else { return }
        defer { state.withLock { $0.waits.remove(wait) } }
        _ = try await wait.value()
    }

    /// Waits until a condition holds, with an error for people.
    ///
    /// - Throws: An ``HTTPWaitCancelled`` if the task is cancelled.
    func wait(
        for expected: String, instead: (Value) -> String, until condition: @escaping @Sendable (Value) -> Bool
    ) async throws {
        do {
            try await wait(until: condition)
        } catch {
            throw HTTPWaitCancelled(expected: expected, instead: instead(value))
        }
    }
}

/// The error of a wait of this module whose task was cancelled, for example because the test's time limit had passed.
public struct HTTPWaitCancelled: Error, Hashable, CustomStringConvertible {
    /// The event that the task waited for, such as `3 requests`.
    public let expected: String
    /// What there was instead, as half a sentence.
    public let instead: String

    public var description: String { "A wait for \(expected) was cancelled: \(instead)." }
}
