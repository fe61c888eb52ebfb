// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCSession
import Synchronization
import TaskWaits
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

    private typealias Wait = CancellableWait<RawJSON>

    /// A request, and the calls that wait for it.
    private struct Flight {
        /// The call that has made the request. It distinguishes the requests of one key.
        let first: Wait
        let task: Task<Void, Never>
        var waits: Set<Wait> = []
    }

    private let flights = Mutex<[Key: Flight]>([:])

    var waitingCount: Int { flights.withLock { $0.values.reduce(0) { $0 + $1.waits.count } } }

    /// Returns the result of the request that is in flight for a key, or sends one. The request is cancelled when all
    /// its calls were cancelled.
    ///
    /// - Parameter send: Sends the request, in a task of its own.
    /// - Throws: The error of `send`; a `CancellationError`.
    func result(for key: Key, _ send: @escaping @Sendable () async throws -> RawJSON) async throws -> RawJSON {
        try Task.checkCancellation()
        let wait = Wait()
        flights.withLock { flights in
            // A request that ends at once waits for the lock.
            _ = flights[key, default: Flight(first: wait, task: begin(key, wait, send))].waits.insert(wait)
        }
        do {
            return try await wait.value()
        } catch {
            leave(key, wait)
            throw error
        }
    }

    private func begin(
        _ key: Key, _ first: Wait, _ send: @escaping @Sendable () async throws -> RawJSON
    ) -> Task<Void, Never> {
        Task {
            settle(key, first, await Result(of: send))
        }
    }

    private func settle(_ key: Key, _ first: Wait, _ result: Result<RawJSON, any Error>) {
        let flight = flights.withLock { flights in
            flights[key]?.first == first ? flights.removeValue(forKey: key) : nil
        }
        for wait in flight?.waits ?? [] { wait.resume(with: result) }
    }

    private func leave(_ key: Key, _ wait: Wait) {
        let flight = flights.withLock { flights -> Flight? in
            guard flights[key]?.waits.remove(wait) != nil, flights[key]?.waits.isEmpty == true else { return nil }
            // The next identical call sends a request of its own.
            return flights.removeValue(forKey: key)
        }
        flight?.task.cancel()
    }
}
