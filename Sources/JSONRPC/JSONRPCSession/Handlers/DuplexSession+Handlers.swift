// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

extension DuplexSession: JSONRPCEndpoint {
    public var coder: any MessageCoder { driver.coder }

    public func setHandler(_ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON) {
        driver.endpoint.handlers.setRequestHandler(.method(method), .asynchronous(handler))
    }

    public func setHandler(_ method: String, _ handler: SynchronousHandler) {
        driver.endpoint.handlers.setRequestHandler(.method(method), .synchronous(handler))
    }

    public func setFallbackHandler(_ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON) {
        driver.endpoint.handlers.setRequestHandler(.fallback, .asynchronous(handler))
    }

    public func setFallbackHandler(_ handler: SynchronousHandler) {
        driver.endpoint.handlers.setRequestHandler(.fallback, .synchronous(handler))
    }

    public func removeHandler(for method: String) { driver.endpoint.handlers.setRequestHandler(.method(method), nil) }

    public func removeFallbackHandler() { driver.endpoint.handlers.setRequestHandler(.fallback, nil) }

    public func setNotificationHandler(
        _ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> Void
    ) {
        driver.endpoint.setNotificationHandler(.method(method), handler)
    }

    public func setFallbackNotificationHandler(_ handler: @escaping @Sendable (InboundCall) async throws -> Void) {
        driver.endpoint.setNotificationHandler(.fallback, handler)
    }

    public func removeNotificationHandler(for method: String) {
        driver.endpoint.handlers.setHandlerQueue(.method(method), nil)
    }

    public func removeFallbackNotificationHandler() { driver.endpoint.handlers.setHandlerQueue(.fallback, nil) }

    public func notificationStream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value> {
        driver.endpoint.notifications.stream(of: method, overflow: overflow, decoding: decoding, decode: decode)
    }
}
