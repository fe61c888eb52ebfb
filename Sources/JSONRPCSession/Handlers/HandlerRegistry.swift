// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization
import WireJSON

typealias RequestHandler = @Sendable (InboundCall) async throws -> RawJSON
typealias NotificationHandler = @Sendable (InboundCall) async throws -> Void

/// What answers the peer. It outlives sessions: a client's next session serves the same methods.
final class HandlerRegistry: Sendable {
    private struct State {
        var requests: [String: RequestHandler] = [:]
        var otherRequests: RequestHandler?
        var notifications: [String: NotificationHandler] = [:]
        var otherNotifications: NotificationHandler?
    }

    private let state = Mutex(State())

    /// Sets the handler of a method, or takes it away; nil as the method for all methods without one.
    func setRequestHandler(_ method: String?, _ handler: RequestHandler?) {
        state.withLock { state in
            if let method { state.requests[method] = handler } else { state.otherRequests = handler }
        }
    }

    func setNotificationHandler(_ method: String?, _ handler: NotificationHandler?) {
        state.withLock { state in
            if let method { state.notifications[method] = handler } else { state.otherNotifications = handler }
        }
    }

    func requestHandler(_ method: String) -> RequestHandler? {
        state.withLock { $0.requests[method] ?? $0.otherRequests }
    }

    func notificationHandler(_ method: String) -> NotificationHandler? {
        state.withLock { $0.notifications[method] ?? $0.otherNotifications }
    }
}
