// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

extension DuplexSession: JSONRPCEndpoint {
    public var coder: any MessageCoder { driver.coder }

    public func setHandler(_ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON) {
        driver.parts.handlers.setRequestHandler(.method(method), .asynchronous(handler))
    }

    public func setHandler(_ method: String, _ handler: SynchronousHandler) {
        driver.parts.handlers.setRequestHandler(.method(method), .synchronous(handler))
    }

    public func setFallbackHandler(_ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON) {
        driver.parts.handlers.setRequestHandler(.fallback, .asynchronous(handler))
    }

    public func setFallbackHandler(_ handler: SynchronousHandler) {
        driver.parts.handlers.setRequestHandler(.fallback, .synchronous(handler))
    }

    public func removeHandler(for method: String) { driver.parts.handlers.setRequestHandler(.method(method), nil) }

    public func removeFallbackHandler() { driver.parts.handlers.setRequestHandler(.fallback, nil) }

    public func setNotificationHandler(
        _ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> Void
    ) {
        driver.parts.setNotificationHandler(.method(method), handler)
    }

    public func setFallbackNotificationHandler(_ handler: @escaping @Sendable (InboundCall) async throws -> Void) {
        driver.parts.setNotificationHandler(.fallback, handler)
    }

    public func removeNotificationHandler(for method: String) {
        driver.parts.handlers.setNotificationLane(.method(method), nil)
    }

    public func removeFallbackNotificationHandler() { driver.parts.handlers.setNotificationLane(.fallback, nil) }

    public func notificationStream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value> {
        driver.parts.notifications.stream(of: method, overflow: overflow, decoding: decoding, decode: decode)
    }
}
