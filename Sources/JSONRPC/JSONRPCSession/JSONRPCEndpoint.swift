// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

/// A type that makes calls and answers the peer's calls: a ``JSONRPCClient`` or a ``DuplexSession``.
///
/// Handlers run in tasks, never on the transport's thread.
///
/// - `handle`, `setHandler` and `setFallbackHandler` serve each request in a task of its own. Requests are served
///   concurrently, in no order, and a handler may call the peer back. It makes no difference whether the closure
///   contains `await`.
/// - `handleSynchronously`, and a ``SynchronousHandler``, serve requests one after the other, in the order of their
///   arrival, without a task for each. This costs much less. Such a handler must return quickly and must not block.
///
/// A handler that returns nothing answers `null`. The notifications of one handler are handled one after the other, in
/// the order of their arrival. Requests do not wait for earlier notifications.
///
/// A client keeps its handlers until its connection has ended. A handler that captures its client therefore keeps the
/// client and the connection alive until ``JSONRPCClient/close(code:reason:)``, or until the handler is removed.
/// Capture the client weakly, or use ``InboundCall/session``. A handler of requests must not await `close`: it would
/// wait for itself until ``SessionConfiguration/drainTimeout`` expires.
public protocol JSONRPCEndpoint: NotificationSubscriber {
    /// Sets the handler of a method's requests, in place of an earlier handler. Each request is served in a task of its
    /// own. A request whose method has no handler is answered with `ErrorObject.Code.methodNotFound`, and reported as
    /// ``SessionEvent/unhandledRequest(method:)``.
    ///
    /// An `ErrorObject` that the handler throws is sent unchanged. Any other error becomes
    /// `ErrorObject.Code.internalError`, without its text unless ``SessionConfiguration/Inbound/revealsHandlerErrors``
    /// is set. The handler's task is cancelled when the peer cancels the call (``CancellationNotice``), and when the
    /// connection ends. The endpoint keeps the handler and its captures alive until the connection ends or the handler
    /// is removed: see ``JSONRPCEndpoint``.
    func setHandler(_ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON)

    /// Sets a handler that serves a method's requests in order and without a task for each. Its errors are answered
    /// like the errors of other handlers.
    func setHandler(_ method: String, _ handler: SynchronousHandler)

    /// Sets the handler of the requests of all methods without a handler of their own.
    func setFallbackHandler(_ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON)

    /// Sets a handler that serves the requests of all methods without a handler of their own, in order and without a
    /// task for each.
    func setFallbackHandler(_ handler: SynchronousHandler)

    /// Removes the handler of a method's requests. Requests that are being served go on.
    func removeHandler(for method: String)

    /// Removes the handler of the methods without a handler of their own.
    func removeFallbackHandler()

    /// Sets the handler of a method's notifications, in place of an earlier handler. Streams get the notifications as
    /// well.
    ///
    /// Notifications are handled one after the other. While the handler is busy, up to
    /// ``SessionConfiguration/Inbound/notificationBuffer`` notifications wait. Further notifications are dropped, and
    /// each is reported as ``SessionEvent/notificationDropped(method:)``.
    func setNotificationHandler(_ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> Void)

    /// Sets the handler of the notifications of all methods without a handler of their own.
    func setFallbackNotificationHandler(_ handler: @escaping @Sendable (InboundCall) async throws -> Void)

    /// Removes the handler of a method's notifications. Notifications that already wait for it are still handled.
    func removeNotificationHandler(for method: String)

    /// Removes the handler of the notifications of methods without a handler of their own.
    func removeFallbackNotificationHandler()

    /// Subscribes, and returns the stream of the subscription's notifications: see
    /// `subscribe(_:params:unsubscribe:style:)`.
    ///
    /// - Parameters:
    ///   - request: The methods, the params and the style.
    ///   - timeout: The limit for the first subscribe request.
    ///   - sharing: Whether equal requests share one subscription of the server.
    ///   - overflow: The policy for notifications that arrive faster than they are consumed.
    ///   - decoding: The policy for values that `decode` cannot decode.
    ///   - resume: Fetches the values that were missed while there was no connection.
    ///   - decode: Decodes a notification whose params are the payload of the subscription's notification. It runs in
    ///     the consumer's task.
    /// - Throws: The peer's `ErrorObject`; a ``SubscriptionError``; a `ClientError`; a `CancellationError`.
    func openSubscription<Value: Sendable>(
        _ request: SubscriptionRequest, timeout: CallTimeout, sharing: Bool, overflow: NotificationOverflow,
        decoding: NotificationDecodingPolicy, resume: (@Sendable (Value?) async throws -> [Value])?,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) async throws -> Subscription<Value>

    /// Begins a call whose progress arrives before its result: see `streamingCall(_:params:style:)`.
    ///
    /// - Parameters:
    ///   - request: The method, the params and the style.
    ///   - overflow: The policy for progress that arrives faster than it is consumed.
    ///   - decoding: The policy for progress that `decodeProgress` cannot decode.
    ///   - decodeProgress: Decodes a notification whose params are the progress. It runs in the consumer's task.
    ///   - decodeResult: Decodes the result. It runs in the consumer's task.
    /// - Throws: A `ClientError` if the params cannot hold the token.
    func openStreamingCall<Progress: Sendable, Value: Sendable>(
        _ request: StreamingCallRequest, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decodeProgress: @escaping @Sendable (InboundNotification) throws -> Progress,
        decodeResult: @escaping @Sendable (RawJSON) throws -> Value
    ) throws -> StreamingCall<Progress, Value>
}

extension JSONRPCEndpoint {
    /// Handles the notifications of a method, one after the other. Errors of the handler are reported as events.
    public func handleNotification<P: Decodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P) async throws -> Void
    ) {
        setNotificationHandler(method) { try await handler(try $0.decodeParams()) }
    }

    /// Handles the notifications of a method, one after the other. The handler also gets the notification, with its
    /// extra members and session.
    public func handleNotification<P: Decodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P, InboundCall) async throws -> Void
    ) {
        setNotificationHandler(method) { try await handler(try $0.decodeParams(), $0) }
    }

    /// Handles the notifications of a method, one after the other. The handler gets only the notification, with its
    /// params, extra members and session.
    public func handleNotification(
        _ method: String, _ handler: @escaping @Sendable (InboundCall) async throws -> Void
    ) {
        setNotificationHandler(method, handler)
    }

    /// Handles the notifications of a method, and ignores their params.
    public func handleNotification(_ method: String, _ handler: @escaping @Sendable () async throws -> Void) {
        setNotificationHandler(method) { _ in try await handler() }
    }
}
