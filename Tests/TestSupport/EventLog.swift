// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// Notes events from any thread, and lets a test wait for them.
package final class EventLog<Event: Sendable>: Sendable {
    private struct Observer {
        var isContent: @Sendable ([Event]) -> Bool
        var continuation: CheckedContinuation<[Event], Never>
    }

    private struct State {
        var events: [Event] = []
        var observers: [Observer] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var events: [Event] { state.withLock { $0.events } }

    package func append(_ event: Event) {
        let (events, content) = state.withLock { state -> ([Event], [Observer]) in
            state.events.append(event)
            let events = state.events
            let content = state.observers.filter { $0.isContent(events) }
            state.observers.removeAll { $0.isContent(events) }
            return (events, content)
        }
        for observer in content { observer.continuation.resume(returning: events) }
    }

    /// Waits until the events are as the closure wants them, and returns them. Wants a time limit on the test.
    @discardableResult
    package func wait(until isContent: @escaping @Sendable ([Event]) -> Bool) async -> [Event] {
        await withCheckedContinuation { continuation in
            let events = state.withLock { state -> [Event]? in
                if isContent(state.events) { return state.events }
                state.observers.append(Observer(isContent: isContent, continuation: continuation))
                return nil
            }
            if let events { continuation.resume(returning: events) }
        }
    }

    /// Waits until there are this many, and returns all.
    @discardableResult
    package func wait(count: Int) async -> [Event] { await wait { $0.count >= count } }
}
