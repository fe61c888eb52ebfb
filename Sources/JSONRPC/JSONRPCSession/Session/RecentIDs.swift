// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import JSONRPCCore

/// The ids of calls that ended recently. The oldest ids are forgotten first.
///
/// They distinguish a late response from a response that was never requested.
struct RecentIDs: Sendable {
    enum Ending: Sendable, Equatable {
        /// The call got a response.
        case answered
        /// The call was cancelled or timed out. A response may still arrive.
        case abandoned
    }

    private let capacity: Int
    private var endings: [RequestID: Ending] = [:]
    private var order: Deque<RequestID> = []
    private(set) var hasForgotten = false
    /// The number of calls that were cancelled or timed out after they were sent, and got no response yet. They count
    /// even if their ids are forgotten.
    private(set) var unanswered = 0

    init(capacity: Int) { self.capacity = max(capacity, 0) }

    /// Returns the end of the call with this id; `nil` if it is not remembered.
    subscript(_ id: RequestID) -> Ending? { endings[id] }

    mutating func insert(_ id: RequestID, _ ending: Ending) {
        if ending == .abandoned { unanswered += 1 }
        guard capacity > 0 else {
            hasForgotten = true
            return
        }
        guard endings.updateValue(ending, forKey: id) == nil else { return }
        order.append(id)
        while order.count > capacity, let oldest = order.popFirst() {
            endings[oldest] = nil
            hasForgotten = true
        }
    }

    /// Records the late response to a call that was cancelled or timed out.
    mutating func markAnswered(_ id: RequestID) {
        guard endings[id] == .abandoned else { return }
        endings[id] = .answered
        unanswered -= 1
    }

    /// Notes that no response can come to a call that was cancelled or timed out, because its request was withdrawn.
    mutating func withdrawn() { unanswered -= 1 }
}
