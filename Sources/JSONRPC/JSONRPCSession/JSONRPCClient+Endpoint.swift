// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

extension JSONRPCClient: JSONRPCEndpoint {
    public var coder: any MessageCoder { configuration.coder }

    public func setHandler(_ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON) {
        endpoint.setRequestHandler(.method(method), .asynchronous(handler))
    }

    public func setHandler(_ method: String, _ handler: SynchronousHandler) {
        endpoint.setRequestHandler(.method(method), .synchronous(handler))
    }

    public func setFallbackHandler(_ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON) {
        endpoint.setRequestHandler(.fallback, .asynchronous(handler))
    }

    public func setFallbackHandler(_ handler: SynchronousHandler) {
        endpoint.setRequestHandler(.fallback, .synchronous(handler))
    }

    public func removeHandler(for method: String) { endpoint.setRequestHandler(.method(method), nil) }

    public func removeFallbackHandler() { endpoint.setRequestHandler(.fallback, nil) }

    public func setNotificationHandler(
        _ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> Void
    ) {
        endpoint.setNotificationHandler(.method(method), handler)
    }

    public func setFallbackNotificationHandler(_ handler: @escaping @Sendable (InboundCall) async throws -> Void) {
        endpoint.setNotificationHandler(.fallback, handler)
    }

    public func removeNotificationHandler(for method: String) {
        endpoint.removeNotificationHandler(.method(method))
    }

    public func removeFallbackNotificationHandler() { endpoint.removeNotificationHandler(.fallback) }

    /// Sets a closure that gets each event on the thread where it happens. An event of a peer's message comes after the
    /// earlier notifications were delivered to their streams, and before the later ones are.
    package func observeEvents(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        endpoint.events.observe(observer)
    }

    /// Delivers a notification of this program to its streams, as if the peer had sent it now.
    package func deliver(_ notification: InboundNotification) { endpoint.notifications.deliver(notification) }

    public func notificationStream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value> {
        endpoint.notifications.stream(of: method, overflow: overflow, decoding: decoding, decode: decode)
    }
}
