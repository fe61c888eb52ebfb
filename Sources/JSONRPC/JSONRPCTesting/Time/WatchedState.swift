// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaskWaits

/// A value under a lock, and the tests that wait until a condition on it holds.
final class WatchedState<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value
        var waits = ConditionWaits<Value>()
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    /// Reads or changes the value. After a change that a test may wait for, ``notify()`` must be called.
    func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { state throws(Failure) in try body(&state.value) }
    }

    /// Resumes the tests whose condition holds now. It must not be called under a lock.
    func notify() { state.withLock { $0.waits.takeMet(by: $0.value) }.resume(returning: true) }

    /// Waits until a condition holds. The condition is called under the lock, so it must only compare.
    ///
    /// - Parameter time: The maximum time of the system's clock. The default is `nil`: no limit.
    /// - Returns: `false` if the condition does not hold in that time.
    /// - Throws: `CancellationError`.
    func wait(atMost time: Duration? = nil, until isMet: @escaping @Sendable (Value) -> Bool) async throws -> Bool {
        let wait = state.withLock { $0.waits.add(isMet) }
        notify()
        if let time { after(time) { wait.resume(returning: false) } }
        defer { state.withLock { $0.waits.remove(wait) } }
        return try await wait.value()
    }
}

/// Calls a closure after a time of the system's clock.
func after(_ time: Duration, on queue: DispatchQueue = .global(), _ body: @escaping @Sendable () -> Void) {
    let nanoseconds = Int(min(max(time / .nanoseconds(1), 0), 1e18))
    queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: body)
}
