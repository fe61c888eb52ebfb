// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// What a session shares with the client that made it, and with the client's next session: who handles what the peer
/// sends, and who looks on.
final class SessionParts: Sendable {
    let handlers = HandlerRegistry()
    let notifications: NotificationRegistry
    let events: EventHub
    private let laneCapacity: Int
    private let interceptors: [any InboundCallInterceptor]

    init(configuration: SessionConfiguration) {
        notifications = NotificationRegistry(clock: configuration.clock)
        events = EventHub(capacity: configuration.eventBuffer)
        laneCapacity = configuration.notificationHandlerBuffer
        interceptors = configuration.inboundInterceptors
    }

    /// Sets the handler of a method's notifications, or of all those without one.
    func setNotificationHandler(
        _ place: HandlerRegistry.Place, _ handler: @escaping @Sendable (InboundCall) async throws -> Void
    ) {
        var handler = handler
        if !interceptors.isEmpty {
            let chain = NextInboundInterceptor(handler).behind(interceptors)
            handler = { try await chain($0) }
        }
        let lane = NotificationLane(capacity: laneCapacity, handler) { [events] in
            events.publish(.handlerFailed(method: $0, $1))
        }
        handlers.setNotificationLane(place, lane)
    }

    /// Gives a notification to those who want it.
    func deliver(_ call: InboundCall) {
        let isStreamed = notifications.deliver(
            InboundNotification(method: call.method, params: call.paramsToKeep, extraMembers: call.extraMembers))
        guard let lane = handlers.notificationLane(call.method) else {
            if !isStreamed { events.publish(.unhandledNotification(method: call.method, params: call.paramsToKeep)) }
            return
        }
        if !lane.deliver(call) { events.publish(.notificationDropped(method: call.method)) }
    }

    /// The last session has ended: nothing comes any more.
    func sessionEnded(_ error: ClientError?) {
        notifications.gate.attach(nil)
        notifications.finish(error.map { .failed($0) } ?? .finished)
        events.finish()
        handlers.removeAll()
    }
}
