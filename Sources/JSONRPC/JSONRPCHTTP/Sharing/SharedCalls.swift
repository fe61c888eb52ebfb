// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCSession
import Synchronization
import WireJSON

/// Lets identical calls that are in flight at the same time share one request.
final class SharedCalls: Sendable {
    /// Calls with equal keys are identical.
    struct Key: Hashable, Sendable {
        /// The method, the params and the extra members, as they are sent.
        var tail: [UInt8]
        var headerFields: HTTPFields
        var timeout: CallTimeout
    }

    private typealias Waiter = CheckedContinuation<RawJSON, any Error>

    /// A request, and the calls that wait for it.
    private struct Flight {
        var number: UInt64
        var waiters: [UInt64: Waiter]
        var task: Task<Void, Never>?
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var flights: [Key: Flight] = [:]
    }

    private enum Entry {
        case cancelled, joined, first
    }

    private let state = Mutex(State())

    /// The number of calls that wait.
    var waitingCount: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Returns the result of the request that is in flight for a key, or sends one. The request is cancelled when all its
    /// calls were cancelled.
    ///
    /// - Parameter send: Sends the request, in a task of its own.
    /// - Throws: The error of `send`; a `CancellationError`.
    func result(for key: Key, _ send: @escaping @Sendable () async throws -> RawJSON) async throws -> RawJSON {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(key, number, $0, send) }
        } onCancel: {
            leave(key, number)
        }
    }

    private func enter(
        _ key: Key, _ number: UInt64, _ waiter: Waiter, _ send: @escaping @Sendable () async throws -> RawJSON
    ) {
        let entry = state.withLock { state -> Entry in
            // A cancellation after this line finds the waiter.
            if Task.isCancelled { return .cancelled }
            if state.flights[key] == nil {
                state.flights[key] = Flight(number: number, waiters: [number: waiter])
                return .first
            }
            state.flights[key]?.waiters[number] = waiter
            return .joined
        }
        switch entry {
        case .cancelled: waiter.resume(throwing: CancellationError())
        case .joined: break
        case .first: launch(key, number, send)
        }
    }

    private func launch(_ key: Key, _ number: UInt64, _ send: @escaping @Sendable () async throws -> RawJSON) {
        let task = Task {
            let result: Result<RawJSON, any Error>
            do { result = .success(try await send()) } catch { result = .failure(error) }
            settle(key, number, result)
        }
        let isOver = state.withLock { state in
            guard state.flights[key]?.number == number else { return true }
            state.flights[key]?.task = task
            return false
        }
        // All calls may have been cancelled meanwhile.
        if isOver { task.cancel() }
    }

    private func settle(_ key: Key, _ number: UInt64, _ result: Result<RawJSON, any Error>) {
        let waiters = state.withLock { state -> Dictionary<UInt64, Waiter>.Values? in
            guard state.flights[key]?.number == number else { return nil }
            return state.flights.removeValue(forKey: key)?.waiters.values
        }
        for waiter in waiters ?? [:].values { waiter.resume(with: result) }
    }

    private func leave(_ key: Key, _ number: UInt64) {
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = state.flights[key]?.waiters.removeValue(forKey: number) else { return (nil, nil) }
            guard state.flights[key]?.waiters.isEmpty == true else { return (waiter, nil) }
            // The next identical call sends a request of its own.
            return (waiter, state.flights.removeValue(forKey: key)?.task)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }
}
