// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Lets a limited number of POSTs run at a time. The others wait in order, and can be cancelled.
final class RequestGate: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        /// The number of POSTs that may still begin.
        var room: Int
        var nextNumber: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
        /// The numbers of the waiters, in order, and of waiters that were cancelled.
        var queue: [UInt64] = []
        /// The index of the first entry of ``queue`` that is not done.
        var front = 0

        mutating func nextWaiter() -> Waiter? {
            while front < queue.count {
                defer { front += 1 }
                if let waiter = waiters.removeValue(forKey: queue[front]) { return waiter }
            }
            queue.removeAll(keepingCapacity: queue.count <= 1024)
            front = 0
            return nil
        }

        mutating func append(_ number: UInt64, _ waiter: Waiter) {
            if front > 1024, front > queue.count / 2 {
                queue.removeFirst(front)
                front = 0
            }
            queue.append(number)
            waiters[number] = waiter
        }
    }

    private let maximumWaiting: Int
    private let state: Mutex<State>

    init(limit: Int, maximumWaiting: Int) {
        self.maximumWaiting = max(0, maximumWaiting)
        state = Mutex(State(room: max(1, limit)))
    }

    /// The number of POSTs that wait.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for room, and takes it.
    ///
    /// - Throws: ``JSONRPCHTTPError/tooManyWaiting(limit:)``; a `CancellationError`.
    func enter() async throws {
        try Task.checkCancellation()
        let number = state.withLock { state -> UInt64? in
            // While there is room, nobody waits.
            if state.room > 0 {
                state.room -= 1
                return nil
            }
            state.nextNumber += 1
            return state.nextNumber
        }
        guard let number else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(number, $0) }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func enter(_ number: UInt64, _ waiter: Waiter) {
        let answer = state.withLock { state -> Result<Void, any Error>? in
            // A cancellation after this line finds the waiter.
            if Task.isCancelled { return .failure(CancellationError()) }
            if state.room > 0 {
                state.room -= 1
                return .success(())
            }
            if state.waiters.count >= maximumWaiting {
                return .failure(JSONRPCHTTPError.tooManyWaiting(limit: maximumWaiting))
            }
            state.append(number, waiter)
            return nil
        }
        if let answer { waiter.resume(with: answer) }
    }

    /// Gives the room to the next waiter.
    func leave() {
        let waiter = state.withLock { state -> Waiter? in
            if let waiter = state.nextWaiter() { return waiter }
            state.room += 1
            return nil
        }
        waiter?.resume()
    }
}
