// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits

/// Values recorded in order from any thread, which tests await without polling.
///
/// A cancelled task goes on waiting: tests hold work with a log that must not end by itself.
public final class EventLog<Element: Sendable>: Sendable {
    private let log = Watched<[Element]>([])

    public init() {}

    /// Records a value and wakes those who waited for it.
    public func record(_ element: Element) { log.update { $0.append(element) } }

    /// What has been recorded so far.
    public var elements: [Element] { log.value }

    /// Waits for the first value which satisfies a condition, which must be quick and call nobody.
    public func first(where isWanted: @escaping @Sendable (Element) -> Bool) async -> Element? {
        // Only the newest value is compared while a task waits: each one is the newest once.
        let wait = log.addWait(until: { $0.last.map(isWanted) ?? false }, unless: { $0.contains(where: isWanted) })
        _ = try? await wait?.value(onCancel: {})
        return elements.first(where: isWanted)
    }

    /// Waits until so many values are recorded.
    @discardableResult
    public func wait(count: Int) async -> [Element] {
        _ = try? await log.addWait(until: { $0.count >= count })?.value(onCancel: {})
        return elements
    }
}
