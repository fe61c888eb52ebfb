// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import Synchronization
import TaskWaits

/// The requests of a fan-out, taken one by one by its consumer.
@usableFromInline
enum RequestSource<Request: Sendable> {
    /// A sequence, read in the consumer's task.
    case iterator(() -> Request?)
    /// An asynchronous sequence, which a task of its own reads.
    case queue(RequestQueue<Request>)

    @usableFromInline
    enum Next {
        case request(Request)
        /// More requests may come; the inbox will be signalled.
        case notYet
        /// There are no more requests. The sequence threw an error, if there is one.
        case end((any Error)?)
    }

    @inlinable
    func next() -> Next {
        switch self {
        case .iterator(let next): next().map { .request($0) } ?? .end(nil)
        case .queue(let queue): queue.next()
        }
    }
}

/// Requests of an asynchronous sequence that the consumer has not taken, at most as many as calls may be in flight.
@usableFromInline
final class RequestQueue<Request: Sendable>: Sendable {
    private struct State {
        var requests: Deque<Request> = []
        var isFinished = false
        var error: (any Error)?
        /// The reading task, while there is no room.
        var reader: CancellableWait<Void>?
    }

    private let state = Mutex(State())
    private let limit: Int
    private let inbox: OutcomeInbox

    init(limit: Int, inbox: OutcomeInbox) {
        self.limit = limit
        self.inbox = inbox
    }

    @usableFromInline
    func next() -> RequestSource<Request>.Next {
        let (next, reader) = state.withLock {
            state -> (RequestSource<Request>.Next, CancellableWait<Void>?) in
            if let request = state.requests.popFirst() { return (.request(request), state.reader.take()) }
            return (state.isFinished ? .end(state.error) : .notYet, nil)
        }
        reader?.resume()
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
        let wait = state.withLock { state -> CancellableWait<Void>? in
            guard state.requests.count >= limit else { return nil }
            let wait = CancellableWait<Void>()
            state.reader = wait
            return wait
        }
        guard let wait else { return !Task.isCancelled }
        return (try? await wait.value()) != nil
    }
}
