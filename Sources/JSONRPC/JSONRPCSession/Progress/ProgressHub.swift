// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

/// Finds the calls that progress belongs to.
///
/// A session, or a client over time, has one hub. Notifications arrive on the transport's thread.
final class ProgressHub: Sendable {
    private struct State {
        /// The routes of calls in flight, by the method of their notifications, their style and their token.
        var routes: [String: [ProgressStyle: [String: ProgressRoute]]] = [:]
        var nextToken: UInt64 = 1
    }

    let clock: any SessionClock
    private let queueClock: any Clock<Duration>
    private let gate: ReadingGate
    private let ledger: StreamLedger
    /// Whether there has been a streaming call. Without one, notifications cost nothing here.
    private let isUsed = Atomic(false)
    private let state = Mutex(State())

    init(clock: any Clock<Duration>, gate: ReadingGate, ledger: StreamLedger) {
        self.ledger = ledger
        queueClock = clock
        self.clock = anchored(clock)
        self.gate = gate
    }

    /// The number of streaming calls that have not ended.
    var count: Int {
        state.withLock { $0.routes.values.reduce(0) { $1.values.reduce($0) { $0 + $1.count } } }
    }

    /// Returns a route with a new token.
    func makeRoute(_ style: ProgressStyle, overflow: NotificationOverflow) -> ProgressRoute {
        isUsed.store(true, ordering: .releasing)
        let queue = NotificationQueue(
            overflow: overflow, gate: gate, clock: queueClock,
            reporter: StreamReporter(ledger: ledger, method: style.notification))
        return state.withLock { state in
            let token = "call-\(state.nextToken)"
            state.nextToken += 1
            let route = ProgressRoute(token: token, style: style, queue: queue, clock: clock)
            state.routes[style.notification, default: [:]][style, default: [:]][token] = route
            return route
        }
    }

    /// Removes the route of a call that has ended.
    func remove(_ route: ProgressRoute) {
        let (method, style) = (route.style.notification, route.style)
        state.withLock { state in
            state.routes[method]?[style]?[route.token] = nil
            if state.routes[method]?[style]?.isEmpty == true { state.routes[method]?[style] = nil }
            if state.routes[method]?.isEmpty == true { state.routes[method] = nil }
        }
    }

    /// Adds a gap to every call for notifications that may not have been read.
    func skipped() {
        guard isUsed.load(ordering: .acquiring) else { return }
        let routes = state.withLock { $0.routes.values.flatMap { $0.values.flatMap(\.values) } }
        for route in routes { route.queue.missed(NotificationGap(reason: .overflow, count: nil)) }
    }

    /// Delivers a notification to its call. Returns `false` if it is not the progress of a call in flight.
    func deliver(_ notification: InboundNotification, _ pendingWakeups: inout PendingWakeups) -> Bool {
        guard isUsed.load(ordering: .acquiring),
            let styles = state.withLock({ $0.routes[notification.method]?.keys })
        else { return false }
        var scan = NotificationScan(notification)
        for style in styles {
            guard let message = scan.message(style.form), case .string(let token) = message.id.content else { continue }
            let route = state.withLock { $0.routes[notification.method]?[style]?[token] }
            let progress = InboundNotification(
                method: notification.method, params: message.payload?.detached(from: notification.params),
                extraMembers: notification.extraMembers)
            if let route, route.deliver(progress, &pendingWakeups) { return true }
        }
        return false
    }
}
