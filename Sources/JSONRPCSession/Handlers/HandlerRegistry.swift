// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// What answers the peer. It outlives sessions: a client's next session serves the same methods.
final class HandlerRegistry: Sendable {
    private struct State {
        var requests: [String: RequestHandler] = [:]
        var otherRequests: RequestHandler?
        /// What was asked for last: most peers ask for the same many times in a row.
        var latest: (method: String, handler: RequestHandler)?
        var notifications: [String: NotificationLane] = [:]
        var otherNotifications: NotificationLane?
    }

    private let state = Mutex(State())

    /// What a handler serves.
    enum Place: Sendable {
        case method(String)
        /// All methods without a handler of their own.
        case fallback
    }

    /// Sets the handler of a place; nil takes it away.
    func setRequestHandler(_ place: Place, _ handler: RequestHandler?) {
        // Released after the lock, for what a handler refers to may call back as it goes.
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

    /// Sets the lane of a place; nil takes it away.
    func setNotificationLane(_ place: Place, _ lane: NotificationLane?) {
        // Released after the lock: the end of a lane wakes its task.
        let replaced = state.withLock { state in
            switch place {
            case .method(let method):
                defer { state.notifications[method] = lane }
                return state.notifications[method]
            case .fallback:
                defer { state.otherNotifications = lane }
                return state.otherNotifications
            }
        }
        withExtendedLifetime(replaced) {}
    }

    func requestHandler(_ method: String) -> RequestHandler? {
        state.withLock { state in
            if let latest = state.latest, latest.method == method { return latest.handler }
            guard let handler = state.requests[method] ?? state.otherRequests else { return nil }
            // What this replaces is held by the tables, too.
            state.latest = (method, handler)
            return handler
        }
    }

    func notificationLane(_ method: String) -> NotificationLane? {
        state.withLock { $0.notifications[method] ?? $0.otherNotifications }
    }

    /// Lets go of all handlers: what they refer to may refer to the session.
    func removeAll() {
        let all = state.withLock { state in
            defer { state = State() }
            return state
        }
        withExtendedLifetime(all) {}
    }
}
