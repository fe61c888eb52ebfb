// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The operations of a session that have not ended, with one sleeping task for all of their limits.
///
/// Most limits are lifted before they are exceeded, and most new ones end later than those before. So a new limit wakes
/// nobody, and the task looks at the operations once in the time of the shortest limit.
final class TimeKeeper: Sendable {
    private struct State {
        /// The operations, at places that are used again.
        var operations: [LimitedOperation?] = []
        var freePlaces: [Int] = []
        /// The time at which the task wakes; `nil` without a task.
        var wakeUp: ContinuousClock.Instant?
        var sleeper: Task<Void, Never>?
        /// Counts the tasks, so that one that was replaced has no effect.
        var generation: UInt64 = 0
    }

    let clock: any HTTPClock
    private let state = Mutex(State())

    init(clock: any HTTPClock) { self.clock = clock }

    deinit { state.withLock { $0.sleeper }?.cancel() }

    // MARK: Operations

    /// Adds an operation. Returns its place for ``remove(_:)``.
    func add(_ operation: LimitedOperation) -> Int {
        state.withLock { state in
            if let place = state.freePlaces.popLast() {
                state.operations[place] = operation
                return place
            }
            state.operations.append(operation)
            return state.operations.count - 1
        }
    }

    func remove(_ place: Int) {
        // The operation is released after the lock.
        _ = state.withLock { state in
            state.freePlaces.append(place)
            return state.operations[place].take()
        }
    }

    /// Ends the operations that send a request of a type.
    ///
    /// - Returns: The number of operations.
    func cancel<Request: HTTPAPIRequest>(_ type: Request.Type, passingTest test: (Request) -> Bool) -> Int {
        var count = 0
        for operation in operations {
            guard let request = operation.request as? Request, test(request) else { continue }
            operation.end(.cancelled)
            count += 1
        }
        return count
    }

    private var operations: [LimitedOperation] { state.withLock { $0.operations.compactMap { $0 } } }

    /// Runs a part of a request in a task of its own, and cancels it at a deadline. Without a deadline it runs in the
    /// caller's task.
    ///
    /// - Parameters:
    ///   - limit: The limit that ends at the deadline.
    ///   - deadline: The deadline; `nil` for none.
    ///   - part: Gets a closure that moves the deadline.
    /// - Throws: An ``HTTPTransportError`` with the code `timedOut`; the error of the part.
    func run<Value: Sendable>(
        _ limit: TimeLimit, until deadline: ContinuousClock.Instant?,
        _ part: @escaping @Sendable (@escaping @Sendable (ContinuousClock.Instant) -> Void) async throws -> Value
    ) async throws -> Value {
        guard let deadline else { return try await part { _ in } }
        try Task.checkCancellation()
        let operation = LimitedOperation(keeper: self)
        let number = operation.impose(limit, until: deadline)
        let result = await operation.run { () -> Result<Value, any Error> in
            do {
                return .success(try await part { operation.move(number, to: $0) })
            } catch {
                return .failure(error)
            }
        }
        if case .failure = result, case .timedOut(let limit)? = operation.reason {
            throw HTTPTransportError(.timedOut, limit.exceeded)
        }
        return try result.get()
    }

    // MARK: The sleeping task

    /// Looks at the operations at a time, or earlier.
    func wake(by deadline: ContinuousClock.Instant) {
        let (replaced, generation) = state.withLock { state -> (Task<Void, Never>?, UInt64?) in
            if let wakeUp = state.wakeUp, wakeUp <= deadline { return (nil, nil) }
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
        let operations = operations
        let now = clock.now
        for operation in operations { operation.check(at: now) }
        if let next = operations.lazy.compactMap(\.deadline).min() { wake(by: next) }
    }
}
