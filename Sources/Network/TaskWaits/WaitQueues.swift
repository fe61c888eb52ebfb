// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The waits of tasks in order, for example for a permit. Adding, removing and taking cost constant time on average.
package struct OrderedWaits<Value: Sendable>: Sendable {
    package typealias Wait = CancellableWait<Value>

    private var waiting: Set<Wait> = []
    /// The waits in order, from `head` on. Removed waits are deleted in batches.
    private var order: [Wait] = []
    private var head = 0

    package init() {}

    package var count: Int { waiting.count }
    package var isEmpty: Bool { waiting.isEmpty }

    /// Appends a wait. The waiting task removes it afterwards.
    package mutating func append() -> Wait {
        let wait = Wait()
        if order.count > 2 * waiting.count + 16 {
            order = order[head...].filter(waiting.contains)
            head = 0
        }
        waiting.insert(wait)
        order.append(wait)
        return wait
    }

    package mutating func remove(_ wait: Wait) { waiting.remove(wait) }

    package mutating func popFirst() -> Wait? {
        while head < order.count {
            defer { head += 1 }
            if let wait = waiting.remove(order[head]) { return wait }
        }
        return nil
    }

    package mutating func takeAll() -> [Wait] {
        defer { self = OrderedWaits() }
        return order[head...].filter(waiting.contains)
    }
}
