// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import WireJSON

/// A type whose ``EndpointState`` does most of the work of a ``JSONRPCEndpoint``.
protocol EndpointOwner: JSONRPCEndpoint {
    var endpoint: EndpointState { get }
}

extension DuplexSession: JSONRPCEndpoint, EndpointOwner {
    public var coder: any MessageCoder { driver.coder }
    var endpoint: EndpointState { driver.endpoint }
}

extension JSONRPCClient: JSONRPCEndpoint, EndpointOwner {
    public var coder: any MessageCoder { configuration.coder }
    var endpoint: EndpointState { supervisor.endpoint }
}

extension EndpointOwner {
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

    public func notificationStream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value> {
        endpoint.notifications.stream(of: method, overflow: overflow, decoding: decoding, decode: decode)
    }
}

extension DuplexSession {
    /// Waits until the handlers have handled all notifications that arrived before this call. The session of a client
    /// waits for the handlers of the client.
    ///
    /// The result of a call can return before the handlers of earlier notifications have run. This function gives the
    /// order of their arrival:
    ///
    /// ```swift
    /// let report: Report = try await session.call("compile")
    /// try await session.notificationsHandled()
    /// // The handlers of the notifications before the result have returned.
    /// ```
    ///
    /// It also waits for removed and replaced handlers that still have notifications to handle, even after the end of
    /// the session. It waits neither for dropped notifications nor for streams.
    ///
    /// In a handler of notifications it returns immediately, because the handler would wait for itself. The same holds
    /// for tasks that the handler starts, except detached tasks.
    ///
    /// - Throws: A `CancellationError` as soon as the task is cancelled.
    public func notificationsHandled() async throws { try await endpoint.notificationsHandled() }
}

extension JSONRPCClient {
    /// Waits until the handlers have handled all notifications that arrived before this call. See
    /// ``DuplexSession/notificationsHandled()``.
    ///
    /// - Throws: A `CancellationError` as soon as the task is cancelled.
    public func notificationsHandled() async throws { try await endpoint.notificationsHandled() }
}
