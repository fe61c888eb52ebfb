// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import TaskWaits

/// The next request of a fan-out, which its consumer takes.
@usableFromInline
enum NextRequest<Request: Sendable>: Sendable {
    case request(Request)
    /// More requests may come; the inbox will be signalled.
    case notYet
    /// There are no more requests. The sequence threw an error, if there is one.
    case end((any Error)?)
}

/// Requests of an asynchronous sequence that the consumer has not taken, at most as many as calls may be in flight.
final class RequestQueue<Request: Sendable>: Sendable {
    private struct State: Sendable {
        var requests: Deque<Request> = []
        var isFinished = false
        var error: (any Error)?
    }

    private let state = Watched(State())
    private let limit: Int
    private let inbox: OutcomeInbox

    init(limit: Int, inbox: OutcomeInbox) {
        self.limit = limit
        self.inbox = inbox
    }

    func next() -> NextRequest<Request> {
        let (next, wasFull) = state.withLock { [limit] state -> (NextRequest<Request>, Bool) in
            let wasFull = state.requests.count == limit
            if let request = state.requests.popFirst() { return (.request(request), wasFull) }
            return (state.isFinished ? .end(state.error) : .notYet, false)
        }
        // Only the reading task waits, while there is no room.
        if wasFull { state.notify() }
        return next
    }

    /// Reads a sequence to its end, or until the task is cancelled.
    func read<Requests: AsyncSequence>(_ requests: Requests) async where Requests.Element == Request {
        var error: (any Error)?
        do {
            for try await request in requests {
                add(request)
                guard await hasRoom() else { return }
            }
        } catch let thrown {
            error = thrown
        }
        state.withLock { state in
            state.isFinished = true
            state.error = error
        }
        inbox.signal()
    }

    private func add(_ request: Request) {
        state.withLock { $0.requests.append(request) }
        inbox.signal()
    }

    /// Waits until there is room for another request. Returns `false` if the task is cancelled.
    private func hasRoom() async -> Bool {
        if state.withLock({ $0.requests.count < limit }) { return !Task.isCancelled }
        return (try? await state.wait { [limit] in $0.requests.count < limit }) != nil
    }
}
