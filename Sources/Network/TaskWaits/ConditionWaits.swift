// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The waits of tasks until a condition on a value holds. The owner of the value keeps them under the lock of the value.
package struct ConditionWaits<Value>: Sendable {
    package typealias Wait = CancellableWait<Bool>

    private var conditions: [Wait: @Sendable (Value) -> Bool] = [:]

    package init() {}

    /// Whether nobody waits.
    package var isEmpty: Bool { conditions.isEmpty }

    /// Adds a wait, whose outcome is `true` when the condition holds. Whoever waits removes it afterwards.
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
    /// Sets the outcome of each wait.
    package func resume(returning value: Bool) {
        for wait in self { wait.resume(returning: value) }
    }
}
