// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

/// The parts that a client shares with its sessions: the handlers, the streams and the events.
final class EndpointState: Sendable {
    struct State {
        var handlers = HandlerTable()
        /// The round trips of all sessions, if there are several.
        var roundTrips = RoundTripTimes()
    }

    /// Whether other sessions follow the first.
    private let outlivesSessions: Bool
    let notifications: NotificationRouter
    let events: EventHub
    let state = Mutex(State())
    /// Whether there has been a handler of notifications. Without one, notifications cost nothing for handlers.
    let hasHandlerQueues = Atomic(false)
    let handlerGroup = HandlerQueue.Group()
    let queueCapacity: Int
    let interceptors: [any InboundCallInterceptor]

    /// - Parameter outlivesSessions: Whether the owner calls ``end(_:)`` after the last session. If not, the parts end
    ///   with their session.
    init(configuration: SessionConfiguration, outlivesSessions: Bool = false) {
        self.outlivesSessions = outlivesSessions
        events = EventHub(capacity: configuration.diagnostics.eventBuffer)
        notifications = NotificationRouter(
            clock: configuration.clock, events: events, logger: configuration.diagnostics.logger)
        queueCapacity = configuration.inbound.notificationBuffer
        interceptors = configuration.inbound.interceptors
    }

    /// The round trips of all sessions; `nil` if there is one session.
    var roundTrips: RoundTripTimes? { outlivesSessions ? state.withLock { $0.roundTrips } : nil }

    func roundTripMeasured(_ duration: Duration) {
        if outlivesSessions { state.withLock { $0.roundTrips.add(duration) } }
        events.publish(.roundTrip(duration))
    }

    /// Delivers a notification to its call, its subscriptions, its streams and its handler. `handler` is its handler,
    /// with the call to pass to it.
    func deliver(
        _ notification: InboundNotification, to handler: (queue: HandlerQueue, call: InboundCall)?,
        _ pendingWakeups: inout PendingWakeups
    ) {
        let reception = notifications.deliver(notification, &pendingWakeups)
        guard let (queue, call) = handler else { return notifications.report(reception, of: notification) }
        if !queue.deliver(call) { events.publish(.notificationDropped(method: call.method)) }
    }

    /// Detaches the transport of a session that has ended.
    func sessionEnded(_ error: ClientError?) {
        notifications.sessionEnded(error)
        if !outlivesSessions { end(error) }
    }

    /// Ends the streams and the events, and releases the handlers.
    func end(_ error: ClientError?) {
        notifications.finish(NotificationEnd(error))
        events.finish()
        // The handlers may capture the session, so they are released after the lock.
        let handlers = state.withLock { $0.handlers.removeAll() }
        withExtendedLifetime(handlers) {}
    }
}
