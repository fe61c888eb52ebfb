// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The handlers of the peer's calls. It outlives sessions, so that a client's next session serves the same methods.
final class HandlerRegistry: Sendable {
    private struct State {
        var requests: [String: RequestHandler] = [:]
        var otherRequests: RequestHandler?
        /// The handler of the latest request. Most peers call the same method many times in a row.
        var latest: (method: String, handler: RequestHandler)?
        var notifications: [String: HandlerQueue] = [:]
        var otherNotifications: HandlerQueue?
        /// The counts of removed lanes that may still have notifications to handle.
        var retired: [NotificationTally] = []

        /// Keeps the count of a lane that is removed, until all its notifications are handled.
        mutating func retire(_ lane: HandlerQueue?) {
            retired.removeAll { $0.target == nil }
            if let tally = lane?.tally, tally.target != nil { retired.append(tally) }
        }
    }

    private let state = Mutex(State())
    /// Whether there has been a handler of notifications. Without one, notifications cost nothing here.
    private let hasLanes = Atomic(false)
    let notificationHandlers = NotificationHandlers()

    /// The calls that a handler serves.
    enum Place: Sendable {
        case method(String)
        /// All methods without a handler of their own.
        case fallback
    }

    /// Sets the handler of a place; `nil` removes it.
    func setRequestHandler(_ place: Place, _ handler: RequestHandler?) {
        // Released after the lock, because objects that a handler captures may call back in their deinitializers.
        let replaced = state.withLock { state -> [RequestHandler?] in
            let latest = state.latest.take()?.handler
            switch place {
            case .method(let method):
                defer { state.requests[method] = handler }
                return [latest, state.requests[method]]
            case .fallback:
                defer { state.otherRequests = handler }
                return [latest, state.otherRequests]
            }
        }
        withExtendedLifetime(replaced) {}
    }

    /// Sets the lane of a place; `nil` removes it.
    func setHandlerQueue(_ place: Place, _ lane: HandlerQueue?) {
        if lane != nil { hasLanes.store(true, ordering: .releasing) }
        // Released after the lock: the end of a lane wakes its task.
        let replaced = state.withLock { state in
            switch place {
            case .method(let method):
                let replaced = state.notifications[method]
                state.notifications[method] = lane
                state.retire(replaced)
                return replaced
            case .fallback:
                let replaced = state.otherNotifications
                state.otherNotifications = lane
                state.retire(replaced)
                return replaced
            }
        }
        withExtendedLifetime(replaced) {}
    }

    func requestHandler(_ method: String) -> RequestHandler? {
        state.withLock { state in
            if let latest = state.latest, latest.method == method { return latest.handler }
            guard let handler = state.requests[method] ?? state.otherRequests else { return nil }
            // The tables also hold the replaced handler, so it is not released here.
            state.latest = (method, handler)
            return handler
        }
    }

    /// Whether the notifications of a method have a handler.
    func handlesNotifications(_ method: String) -> Bool {
        hasLanes.load(ordering: .acquiring) && handlerQueue(method) != nil
    }

    func handlerQueue(_ method: String) -> HandlerQueue? {
        state.withLock { $0.notifications[method] ?? $0.otherNotifications }
    }

    /// Releases all handlers, because they may capture the session.
    func removeAll() {
        let all = state.withLock { state in
            let all = state
            state = State()
            state.retired = all.retired
            for lane in all.notifications.values { state.retire(lane) }
            state.retire(all.otherNotifications)
            return all
        }
        withExtendedLifetime(all) {}
    }

    /// Waits until all notifications that have been queued so far are handled. In a handler it returns immediately.
    func notificationsHandled() async throws {
        guard hasLanes.load(ordering: .acquiring), NotificationHandlers.current !== notificationHandlers else { return }
        let awaited = state.withLock { state in
            state.retired.removeAll { $0.target == nil }
            var tallies = state.retired + state.notifications.values.map(\.tally)
            if let other = state.otherNotifications { tallies.append(other.tally) }
            return tallies.compactMap { tally in tally.target.map { (tally, $0) } }
        }
        for (tally, target) in awaited { try await tally.reached(target) }
    }
}
