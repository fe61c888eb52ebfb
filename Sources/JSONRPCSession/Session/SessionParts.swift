// swift-jsonrpc · SPDX-License-Identifier: MIT

/// What a session shares with the client that made it, and with the client's next session: who handles what the peer
/// sends, and who looks on.
final class SessionParts: Sendable {
    let handlers = HandlerRegistry()
    let events: EventHub

    init(configuration: SessionConfiguration) {
        events = EventHub(capacity: configuration.eventBuffer)
    }

    /// Gives a notification to those who want it.
    func deliver(_ call: InboundCall) {
        guard let handler = handlers.notificationHandler(call.method) else {
            return events.publish(.unhandledNotification(method: call.method, params: call.params))
        }
        Task {
            do { try await handler(call) } catch { events.publish(.handlerFailed(method: call.method, error)) }
        }
    }

    /// The last session has ended: nothing comes any more.
    func sessionEnded() {
        events.finish()
    }
}
