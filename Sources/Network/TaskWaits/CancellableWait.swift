// swift-jsonrpc · SPDX-License-Identifier: MIT

public import Synchronization

/// The wait of one task for one outcome. The first outcome wins, and cancellation of the waiting task is also an
/// outcome. So ``resume(with:)`` tells its caller, such as an owner of permits, whether the task still waits. The
/// outcome may be set before the task begins to wait.
///
/// Other modules inline it, because generic code of another module is not specialized.
@usableFromInline
package final class CancellableWait<Value: Sendable>: Sendable, Hashable {
    @usableFromInline struct State: Sendable {
        @usableFromInline var outcome: Result<Value, any Error>?
        @usableFromInline var waiter: CheckedContinuation<Void, Never>?

        @inlinable init() {}
    }

    @usableFromInline let state = Mutex(State())

    @inlinable package init() {}

    /// Whether there is an outcome. If so, no task waits.
    @inlinable package var isOver: Bool { state.withLock { $0.outcome != nil } }

    /// Sets the outcome, and resumes the task if it waits. It must not be called under a lock.
    ///
    /// - Returns: Whether this outcome was the first.
    @discardableResult
    @inlinable package func resume(with outcome: Result<Value, any Error>) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard state.outcome == nil else { return (false, nil) }
            state.outcome = outcome
            return (true, state.waiter.take())
        }
        waiter?.resume()
        return isFirst
    }

    @discardableResult
    @inlinable package func resume(returning value: Value) -> Bool { resume(with: .success(value)) }

    @discardableResult
    @inlinable package func resume(throwing error: any Error) -> Bool { resume(with: .failure(error)) }

    /// Waits for the outcome. One task may call this or ``value(onCancel:)``, once.
    ///
    /// - Throws: The error of the outcome, or a `CancellationError` if the task is cancelled first.
    @inlinable package func value() async throws -> Value {
        try await value(onCancel: { resume(throwing: CancellationError()) })
    }

    /// Waits for the outcome. If the task is cancelled, the closure is called and the wait continues, because the
    /// outcome says how the work ended.
    ///
    /// - Throws: The error of the outcome.
    @inlinable package func value(onCancel cancel: @Sendable () -> Void) async throws -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isOver = state.withLock { state in
                    if state.outcome == nil { state.waiter = waiter }
                    return state.outcome != nil
                }
                if isOver { waiter.resume() }
            }
        } onCancel: {
            cancel()
        }
        // The outcome is read under its lock. A continuation would also pass it on. But if the continuation is resumed
        // before the task waits, the thread sanitizer does not see the order of the two accesses.
        return try state.withLock { $0.outcome ?? .failure(CancellationError()) }.get()
    }

    @inlinable package static func == (left: CancellableWait, right: CancellableWait) -> Bool { left === right }

    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CancellableWait where Value == Void {
    @discardableResult
    @inlinable package func resume() -> Bool { resume(with: .success(())) }
}

/// An outcome that tasks wait for. Each wait can be cancelled separately. Copies share the outcome.
package struct OneTimeSignal: Sendable {
    private let outcome = Watched<Result<Void, any Error>?>(nil)

    package init() {}

    package var waitingCount: Int { outcome.waitingCount }

    /// Sets the outcome, and resumes the waiting tasks. The first outcome wins. It must not be called under a lock.
    package func fulfil(_ first: Result<Void, any Error> = .success(())) {
        outcome.update { $0 = $0 ?? first }
    }

    /// Waits for the outcome.
    ///
    /// - Throws: The error of the outcome, or a `CancellationError` as soon as the task is cancelled.
    package func wait() async throws {
        try await outcome.wait { $0 != nil }
        try outcome.value?.get()
    }
}

extension Task {
    /// The outcome of the task. If the waiting task is cancelled, this task is cancelled too, and the wait continues
    /// until it ends.
    package var joined: Result<Success, Failure> {
        get async {
            await withTaskCancellationHandler {
                await result
            } onCancel: {
                cancel()
            }
        }
    }
}

extension Result {
    /// Stores the outcome of a closure, as `init(catching:)` does for closures that do not wait.
    @inlinable package init(of body: () async throws(Failure) -> Success) async {
        do throws(Failure) { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
