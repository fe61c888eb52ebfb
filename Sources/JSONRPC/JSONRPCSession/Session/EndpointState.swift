// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Synchronization

/// The parts that a client shares with its sessions: the handlers, the streams and the events.
final class EndpointState: Sendable {
    /// Whether other sessions follow the first.
    private let outlivesSessions: Bool
    let handlers = HandlerRegistry()
    let notifications: NotificationRouter
    let events: EventHub
    /// The round trips of all sessions, if there are several.
    private let roundTripsOfAll = Mutex(RoundTripTimes())
    private let laneCapacity: Int
    private let interceptors: [any InboundCallInterceptor]

    /// - Parameter outlivesSessions: Whether the owner calls ``end(_:)`` after the last session. If not, the parts end
    ///   with their session.
    init(configuration: SessionConfiguration, outlivesSessions: Bool = false) {
        self.outlivesSessions = outlivesSessions
        events = EventHub(capacity: configuration.eventBuffer)
        notifications = NotificationRouter(
            clock: configuration.clock, events: events, logger: configuration.logger)
        laneCapacity = configuration.notificationHandlerBuffer
        interceptors = configuration.inboundInterceptors
    }

    /// The round trips of all sessions; `nil` if there is one session.
    var roundTrips: RoundTripTimes? { outlivesSessions ? roundTripsOfAll.withLock { $0 } : nil }

    /// Adds a round trip of the current session.
    func roundTripMeasured(_ duration: Duration) {
        if outlivesSessions { roundTripsOfAll.withLock { $0.add(duration) } }
        events.publish(.roundTrip(duration))
    }

    /// Sets the handler of a method's notifications, or the fallback handler.
    func setNotificationHandler(
        _ place: HandlerRegistry.Place, _ handler: @escaping @Sendable (InboundCall) async throws -> Void
    ) {
        var handler = handler
        if !interceptors.isEmpty {
            let chain = NextInboundInterceptor(handler).behind(interceptors)
            handler = { try await chain($0) }
        }
        let lane = HandlerQueue(capacity: laneCapacity, in: handlers.group, handler) { [events] in
            events.publish(.handlerFailed(method: $0, $1))
        }
        handlers.setHandlerQueue(place, lane)
    }

    /// Delivers a notification to its call, its subscriptions, its streams and its handler.
    func deliver(_ call: InboundCall) {
        let notification = InboundNotification(
            method: call.method, params: call.paramsToKeep, extraMembers: call.extraMembers)
        var pendingWakeups = PendingWakeups()
        deliver(notification, to: handlers.handlerQueue(call.method).map { ($0, call) }, &pendingWakeups)
        pendingWakeups.perform()
    }

    /// Delivers a notification. `handler` is its handler, with the call to pass to it.
    func deliver(
        _ notification: InboundNotification, to handler: (lane: HandlerQueue, call: InboundCall)?,
        _ pendingWakeups: inout PendingWakeups
    ) {
        let reception = notifications.deliver(notification, &pendingWakeups)
        guard let (lane, call) = handler else { return notifications.report(reception, of: notification) }
        if !lane.deliver(call) { events.publish(.notificationDropped(method: call.method)) }
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
        handlers.removeAll()
    }
}
