// swift-jsonrpc · SPDX-License-Identifier: MIT

import DequeModule
import JSONRPCCore

/// The ids of calls which have ended lately, the oldest forgotten first.
///
/// It tells a response that came late from one that was never asked for.
struct RecentIDs: Sendable {
    /// How a call ended.
    enum Ending: Sendable, Equatable {
        /// By a response.
        case answered
        /// By cancellation or timeout: a response may still come.
        case abandoned
    }

    private let capacity: Int
    private var endings: [RequestID: Ending] = [:]
    private var order: Deque<RequestID> = []
    /// True once an id was forgotten.
    private(set) var hasForgotten = false

    init(capacity: Int) { self.capacity = max(capacity, 0) }

    /// How the call with this id ended, nil when it is not remembered.
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

    /// Notes that the response to an abandoned call has come after all.
    mutating func markAnswered(_ id: RequestID) {
        if endings[id] != nil { endings[id] = .answered }
    }
}
