// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import Synchronization
import TaskWaits

/// The latest values of a state, for readers that may be slow.
struct StateHistory<State: Sendable & Equatable>: Sendable {
    private static var limit: Int { 16 }

    private var latest: Deque<State>
    /// The number of values until now.
    private(set) var count = 1
    private(set) var isOver = false

    init(_ initial: State) { latest = [initial] }

    /// Adds a value, if it differs from the previous one.
    mutating func append(_ state: State, isLast: Bool) {
        guard !isOver else { return }
        isOver = isLast
        guard state != latest.last else { return }
        if latest.count == Self.limit { latest.removeFirst() }
        latest.append(state)
        count += 1
    }

    /// Returns the value at a position, or the oldest value that is kept after it, and moves the position behind it.
    func next(after position: inout Int) -> State? {
        guard position < count else { return nil }
        let oldest = count - latest.count
        position = max(position, oldest) + 1
        return latest[position - 1 - oldest]
    }
}

extension Watched {
    /// Returns a stream of the current state and all later states.
    func stream<State>() -> AsyncStream<State> where Value == StateHistory<State> {
        let position = Mutex(withLock { $0.count - 1 })
        return AsyncStream(unfolding: {
            var isOver = false
            while !isOver {
                let last = position.withLock { $0 }
                guard (try? await self.wait { $0.isOver || $0.count > last }) != nil else { return nil }
                let state = self.withLock { history in
                    isOver = history.isOver
                    return position.withLock { history.next(after: &$0) }
                }
                if let state { return state }
            }
            return nil
        })
    }
}
