// swift-jsonrpc · SPDX-License-Identifier: MIT

import TaskWaits

/// Values recorded in order from any thread. Tests wait for them without polling.
///
/// A cancelled task continues to wait: tests hold work with a log, which must not end by itself.
public final class EventLog<Element: Sendable>: Sendable {
    private let log = Watched<[Element]>([])

    public init() {}

    /// Records a value and wakes the tasks that wait for it.
    public func record(_ element: Element) { log.update { $0.append(element) } }

    /// The recorded values so far.
    public var elements: [Element] { log.value }

    /// Waits for the first value that satisfies a condition, which must be quick and call nothing.
    public func first(where isWanted: @escaping @Sendable (Element) -> Bool) async -> Element? {
        // Only the newest value is compared while a task waits: each one is the newest once.
        let wait = log.addWait(until: { $0.last.map(isWanted) ?? false }, unless: { $0.contains(where: isWanted) })
        _ = try? await wait?.value(onCancel: {})
        return elements.first(where: isWanted)
    }

    /// Waits until a number of values are recorded.
    @discardableResult
    public func wait(count: Int) async -> [Element] {
        _ = try? await log.addWait(until: { $0.count >= count })?.value(onCancel: {})
        return elements
    }
}
