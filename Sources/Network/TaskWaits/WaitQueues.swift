// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The waits of tasks for conditions on a value. The owner of the value protects both by the same lock.
package struct ConditionWaits<Value>: Sendable {
    package typealias Wait = CancellableWait<Bool>

    private var conditions: [Wait: @Sendable (Value) -> Bool] = [:]

    package init() {}

    package var isEmpty: Bool { conditions.isEmpty }

    /// Adds a wait, whose outcome is `true` when the condition holds. The waiting task removes it afterwards.
    ///
    /// - Parameter condition: The condition. It is called under the lock, so it must only compare.
    package mutating func add(_ condition: @escaping @Sendable (Value) -> Bool) -> Wait {
        let wait = Wait()
        conditions[wait] = condition
        return wait
    }

    package mutating func remove(_ wait: Wait) { conditions[wait] = nil }

    /// Removes and returns the waits whose condition holds. They are resumed after the lock is released.
    package mutating func takeMet(by value: Value) -> [Wait] {
        guard !conditions.isEmpty else { return [] }
        let met = conditions.compactMap { $0.value(value) ? $0.key : nil }
        for wait in met { conditions[wait] = nil }
        return met
    }

    /// Removes and returns all waits. They are resumed after the lock is released.
    package mutating func takeAll() -> [Wait] {
        defer { conditions = [:] }
        return Array(conditions.keys)
    }
}

extension Sequence<CancellableWait<Bool>> {
    package func resume(returning value: Bool) {
        for wait in self { wait.resume(returning: value) }
    }
}

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
