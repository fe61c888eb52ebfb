// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

/// An end of a connection that makes calls and answers the peer's calls: a ``JSONRPCClient`` or a ``DuplexSession``.
///
/// Handlers run in tasks, never on the transport's thread.
///
/// - `handle`, `setHandler` and `setFallbackHandler` serve each request in a task of its own. Requests are served
///   concurrently, in no order, and a handler may call the peer back. It makes no difference whether the closure contains
///   `await`.
/// - `handleSynchronously`, and a ``SynchronousHandler``, serve requests one after the other, in the order in which they
///   came, without a task for each. That costs a fraction. Such a handler must be quick and must not block.
///
/// A handler that returns nothing answers `null`. The notifications of one handler are handled one after the other, in
/// their order. A request does not wait for them: notifications that came before it may still wait, or be in their
/// handlers, when it is served.
///
/// A client keeps its handlers until its connection has ended. So a handler that captures its client keeps the client
/// and the connection alive until ``JSONRPCClient/close(code:reason:)``, or until the handler is removed. Capture the
/// client weakly, or call back by ``InboundCall/session``. A request's handler that awaits `close` waits for itself until
/// ``SessionConfiguration/drainTimeout`` is over.
public protocol JSONRPCEndpoint: JSONRPCCaller {
    /// Sets the handler of a method's requests, in place of an earlier handler. Each request is served in a task of its
    /// own. A request whose method has no handler is answered with `ErrorCode.methodNotFound`, and reported as
    /// ``SessionEvent/unhandledRequest(method:)``.
    ///
    /// An `ErrorObject` that the handler throws is sent as it is. Any other error becomes `ErrorCode.internalError`,
    /// without its text unless ``SessionConfiguration/revealsHandlerErrors`` is set. The handler's task is cancelled
    /// when the peer cancels the call (``CancellationNotice``), and when the connection ends. The endpoint keeps the
    /// handler, and all that it captures, until then or until the handler is removed: see ``JSONRPCEndpoint``.
    func setHandler(_ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON)

    /// Sets a handler that serves a method's requests in order and without a task for each. Errors are answered as those
    /// of other handlers are.
    func setHandler(_ method: String, _ handler: SynchronousHandler)

    /// Sets the handler of the requests of all methods without a handler of their own.
    func setFallbackHandler(_ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON)

    /// Sets a handler that serves the requests of all methods without a handler of their own, in order and without a task
    /// for each.
    func setFallbackHandler(_ handler: SynchronousHandler)

    /// Removes the handler of a method's requests. Requests that are being served go on.
    func removeHandler(for method: String)

    /// Removes the handler of the methods without a handler of their own.
    func removeFallbackHandler()

    /// Sets the handler of a method's notifications. Streams of them get the notifications as well.
    ///
    /// Notifications are handled one after the other. While the handler is busy, up to
    /// ``SessionConfiguration/notificationHandlerBuffer`` notifications wait. Further notifications are dropped, and each
    /// is reported as ``SessionEvent/notificationDropped(method:)``.
    func setNotificationHandler(_ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> Void)

    /// Sets the handler of the notifications of all methods without a handler of their own.
    func setFallbackNotificationHandler(_ handler: @escaping @Sendable (InboundCall) async throws -> Void)

    /// Removes the handler of a method's notifications. Notifications that already wait for it are still handled.
    func removeNotificationHandler(for method: String)

    /// Removes the handler of the notifications of methods without a handler of their own.
    func removeFallbackNotificationHandler()

    /// A stream of the notifications of a method, nil for all, from now on.
    ///
    /// - Parameters:
    ///   - method: the method's name.
    ///   - overflow: what happens when they come faster than they are taken.
    ///   - decoding: what happens to those which `decode` throws at.
    ///   - decode: runs in the consumer's task.
    func notificationStream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value>
}

extension JSONRPCEndpoint {
    // MARK: Notifications

    /// The notifications of a method, from now on, with their params decoded in the consumer's task.
    ///
    /// - Parameters:
    ///   - method: the method's name.
    ///   - type: what the params are decoded as.
    ///   - overflow: what happens when they come faster than they are taken.
    ///   - decoding: what happens to params of another type.
    public func notifications<Value: Decodable & Sendable>(
        _ method: String, as type: Value.Type = Value.self, overflow: NotificationOverflow = .standard,
        decoding: NotificationDecodingPolicy = .fail
    ) -> NotificationStream<Value> {
        notificationStream(of: method, overflow: overflow, decoding: decoding) { [coder] in
            try $0.params(as: type, using: coder)
        }
    }

    /// All notifications, from now on, as they come.
    public func notifications(
        overflow: NotificationOverflow = .standard
    ) -> NotificationStream<InboundNotification> {
        notificationStream(of: nil, overflow: overflow, decoding: .fail) { $0 }
    }

    /// Handles the notifications of a method, one after the other.
    public func handleNotification<P: Decodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P) async throws -> Void
    ) {
        setNotificationHandler(method) { try await handler(try $0.decodeParams()) }
    }

    /// Handles the notifications of a method, which have no params that matter.
    public func handleNotification(_ method: String, _ handler: @escaping @Sendable () async throws -> Void) {
        setNotificationHandler(method) { _ in try await handler() }
    }
}
