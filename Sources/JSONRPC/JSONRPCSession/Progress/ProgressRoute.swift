// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

/// The way of one call's progress to its consumer: the call's place in a ``StreamingCallTable``.
final class ProgressRoute: Sendable, Hashable {
    let token: String
    let style: ProgressStyle
    let queue: NotificationQueue
    private let router: NotificationRouter

    init(token: String, style: ProgressStyle, queue: NotificationQueue, router: NotificationRouter) {
        self.token = token
        self.style = style
        self.queue = queue
        self.router = router
    }

    /// The time at which the call began, or the time of the latest progress; `nil` after the end of the call.
    var lastActivity: SessionTime? { router.state.withLock { $0.table.calls.lastActivity(token) } }

    /// Opens the route. If an earlier attempt has made progress, the consumer is told that it begins anew.
    func open() {
        let now = router.clock.now
        let isRepetition = router.state.withLock { $0.table.calls.open(token, now: now) }
        if isRepetition { queue.missed(NotificationGap(reason: .repeated, count: nil)) }
    }

    /// Closes the route. It is called on the transport's thread when a response comes, so that progress that comes
    /// after the response is never delivered before it.
    func close() { router.state.withLock { $0.table.calls.close(token) } }

    /// Removes the route of a call that has ended.
    func remove() { router.state.withLock { $0.table.calls.remove(token) } }

    static func == (left: ProgressRoute, right: ProgressRoute) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension NotificationRouter {
    /// The number of streaming calls that have not ended.
    var streamingCallCount: Int { state.withLock { $0.table.calls.count } }

    /// Returns a route with a new token.
    func makeRoute(_ style: ProgressStyle, overflow: NotificationOverflow) -> ProgressRoute {
        formsBecome(.several)
        let queue = makeQueue(overflow, method: style.notification)
        let now = clock.now
        let token = state.withLock { $0.table.calls.add(style, queue, now: now) }
        return ProgressRoute(token: token, style: style, queue: queue, router: self)
    }
}
