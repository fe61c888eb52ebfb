// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import JSONRPCCore

/// The ids of calls that ended recently. The oldest ids are forgotten first.
///
/// They distinguish a late response from a response that was never requested.
struct RecentIDs: Sendable {
    /// The end of a call.
    enum Ending: Sendable, Equatable {
        /// The call got a response.
        case answered
        /// The call was cancelled or timed out. A response may still arrive.
        case abandoned
    }

    private let capacity: Int
    private var endings: [RequestID: Ending] = [:]
    private var order: Deque<RequestID> = []
    /// Whether an id was forgotten.
    private(set) var hasForgotten = false

    init(capacity: Int) { self.capacity = max(capacity, 0) }

    /// Returns the end of the call with this id; `nil` if it is not remembered.
    subscript(_ id: RequestID) -> Ending? { endings[id] }

    /// Remembers an id.
    mutating func insert(_ id: RequestID, _ ending: Ending) {
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
        if endings[id] != nil { endings[id] = .answered }
    }
}
