// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

/// The way of one call's progress to its consumer. It is open from the beginning of the call to its response.
///
/// A call that is sent again, in another connection or by an interceptor, opens its route again.
final class ProgressRoute: Sendable, Hashable {
    private struct State {
        var isOpen = false
        /// Whether progress has come since the route was opened.
        var hasDelivered = false
        var lastActivity = SessionTime.zero
    }

    let token: String
    let style: ProgressStyle
    let queue: NotificationQueue
    private let clock: any SessionClock
    private let state = Mutex(State())

    init(token: String, style: ProgressStyle, queue: NotificationQueue, clock: any SessionClock) {
        self.token = token
        self.style = style
        self.queue = queue
        self.clock = clock
        state.withLock { $0.lastActivity = clock.now }
    }

    /// The time at which the call began, or the time of the latest progress.
    var lastActivity: SessionTime { state.withLock { $0.lastActivity } }

    /// Opens the route. If an earlier attempt has made progress, the consumer is told that it begins anew.
    func open() {
        let now = clock.now
        let isRepetition = state.withLock { state in
            defer { state = State(isOpen: true, lastActivity: now) }
            return state.hasDelivered
        }
        if isRepetition { queue.missed(NotificationGap(reason: .repeated, count: nil)) }
    }

    /// Closes the route. It is called on the transport's thread when a response comes, so that progress that comes
    /// after the response is never delivered before it.
    func close() { state.withLock { $0.isOpen = false } }

    /// Delivers progress. Returns `false` if the call has ended. It is called on the transport's thread.
    func deliver(_ progress: InboundNotification, _ pendingWakeups: inout PendingWakeups) -> Bool {
        let now = clock.now
        let isOpen = state.withLock { state in
            guard state.isOpen else { return false }
            state.hasDelivered = true
            state.lastActivity = now
            return true
        }
        if isOpen { queue.deliver(progress, &pendingWakeups) }
        return isOpen
    }

    static func == (left: ProgressRoute, right: ProgressRoute) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
