// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Lets a limited number of POSTs run at a time. The others wait in order, and can be cancelled.
///
/// A server that refuses or closes connections while others are in use has too many. Each such failure halves the limit,
/// and as many answers in a row as the limit raise it by one, up to the configured one.
final class RequestGate: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        /// The maximum number of POSTs in flight, at present.
        var limit: Int
        var inFlight = 0
        /// The answers since the limit was changed.
        var answers = 0
        var nextNumber: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
        /// The numbers of the waiters, in order, and of waiters that were cancelled.
        var queue: [UInt64] = []
        /// The index of the first entry of ``queue`` that is not done.
        var front = 0

        /// Ends a POST. Returns the waiters whose POSTs begin.
        mutating func leave() -> [Waiter] {
            inFlight -= 1
            var begun: [Waiter] = []
            while inFlight < limit, let waiter = nextWaiter() {
                inFlight += 1
                begun.append(waiter)
            }
            return begun
        }

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

    private let maximumLimit: Int
    private let maximumWaiting: Int
    private let state: Mutex<State>

    init(limit: Int, maximumWaiting: Int) {
        self.maximumWaiting = max(0, maximumWaiting)
        maximumLimit = max(1, limit)
        state = Mutex(State(limit: maximumLimit))
    }

    /// The maximum number of POSTs in flight, at present.
    var limit: Int { state.withLock { $0.limit } }

    /// The number of POSTs that wait.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for room, and takes it.
    ///
    /// - Throws: ``JSONRPCHTTPError/tooManyWaiting(limit:)``; a `CancellationError`.
    func enter() async throws {
        try Task.checkCancellation()
        let number = state.withLock { state -> UInt64? in
            // While there is room, nobody waits.
            if state.inFlight < state.limit {
                state.inFlight += 1
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
            if state.inFlight < state.limit {
                state.inFlight += 1
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

    /// Ends a POST, and lets the next ones begin.
    func leave(isAnswered: Bool) {
        let waiters = state.withLock { state in
            if isAnswered, state.limit < maximumLimit {
                state.answers += 1
                if state.answers >= state.limit {
                    state.limit += 1
                    state.answers = 0
                }
            }
            return state.leave()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Ends a POST whose connection was refused or closed. Returns whether it may succeed later, because others were in
    /// flight: the limit is lower then.
    func leaveRefused() -> Bool {
        let (isLowered, waiters) = state.withLock { state in
            let isLowered = state.inFlight > 1
            if isLowered {
                state.limit = max(1, min(state.limit, state.inFlight) / 2)
                state.answers = 0
            }
            return (isLowered, state.leave())
        }
        for waiter in waiters { waiter.resume() }
        return isLowered
    }
}
