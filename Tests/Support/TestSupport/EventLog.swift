// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Values recorded in order from any thread, which tests await without polling.
public final class EventLog<Element: Sendable>: Sendable {
    private struct Waiter {
        /// Asked about each newly recorded value, with the count of values; must be quick and call nobody.
        var isSatisfied: @Sendable (Element, Int) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }
    private struct State {
        var elements: [Element] = []
        var waiters: [Waiter] = []
    }
    private let state = Mutex(State())

    public init() {}

    /// Records a value and wakes those who waited for it.
    public func record(_ element: Element) {
        let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.elements.append(element)
            guard !state.waiters.isEmpty else { return [] }
            let count = state.elements.count
            let index = state.waiters.partition { $0.isSatisfied(element, count) }
            defer { state.waiters.removeSubrange(index...) }
            return state.waiters[index...].map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    /// What has been recorded so far.
    public var elements: [Element] { state.withLock { $0.elements } }

    /// Waits for the first value which satisfies a condition.
    public func first(where isWanted: @escaping @Sendable (Element) -> Bool) async -> Element? {
        await wait(orAlready: { $0.contains(where: isWanted) }) { element, _ in isWanted(element) }
        return elements.first(where: isWanted)
    }

    /// Waits until so many values are recorded.
    @discardableResult
    public func wait(count: Int) async -> [Element] {
        await wait(orAlready: { $0.count >= count }) { _, recorded in recorded >= count }
        return elements
    }

    private func wait(
        orAlready isDone: @Sendable ([Element]) -> Bool, until isSatisfied: @escaping @Sendable (Element, Int) -> Bool
    ) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if isDone(state.elements) { return true }
                state.waiters.append(Waiter(isSatisfied: isSatisfied, continuation: continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}
