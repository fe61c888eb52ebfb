// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// What calls and is called: a ``JSONRPCClient`` and a ``DuplexSession``.
///
/// Handlers run in tasks, never on the transport's thread. One that is `async` gets a task for each request and may
/// call back: requests are then served side by side, in no order. One that is not is a ``SynchronousHandler``: quick
/// functions, served in order, for a fraction of the cost. A closure without `await` and without `async` is of that
/// kind. The notifications of one method are handled one after the other, in their order. A request is not held back
/// for them: notifications that came before it may still wait, or be in their handlers, when it is served.
///
/// A client keeps its handlers until its connection has ended. So a handler that captures its client keeps it, and the
/// connection, alive until ``JSONRPCClient/close(code:reason:)``, or until the handler is taken away: capture it
/// weakly, or call back by ``InboundCall/session``. A request's handler that awaits `close` waits for itself, until
/// ``SessionConfiguration/drainTimeout`` is over.
public protocol JSONRPCEndpoint: JSONRPCCaller {
    /// Sets what answers the requests of a method; nil as the method stands for all those without a handler, nil as
    /// the handler takes one away. A method without any is answered with
    /// `ErrorCode.methodNotFound`.
    ///
    /// An `ErrorObject` that the handler throws is sent as it is; any other error becomes
    /// `ErrorCode.internalError`, without its text unless
    /// ``SessionConfiguration/revealsHandlerErrors`` is set. The handler's task is cancelled when the peer gives the
    /// call up (``CancellationNotice``), and when the connection ends. What it captures is kept until then, or until
    /// the handler is taken away; the client too, if it captures that: see ``JSONRPCEndpoint``.
    func setHandler(_ method: String?, _ handler: (@Sendable (InboundCall) async throws -> RawJSON)?)

    /// Sets what answers the requests of a method without waiting for anything; nil as the method stands for all those
    /// without a handler. Errors are answered as those of other handlers are.
    func setHandler(_ method: String?, _ handler: SynchronousHandler)

    /// Sets what takes the notifications of a method, beside the streams of them; nil as the method stands for all
    /// those without a handler.
    ///
    /// While the handler is busy, up to ``SessionConfiguration/notificationHandlerBuffer`` notifications wait; those
    /// which come then are dropped, and ``SessionEvent/notificationDropped(method:)`` tells of each.
    func setNotificationHandler(_ method: String?, _ handler: (@Sendable (InboundCall) async throws -> Void)?)

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

    // MARK: Requests answered without waiting

    /// Sets what answers the requests of a method without waiting for anything: see ``SynchronousHandler``.
    public func setHandler(_ method: String?, _ handler: @escaping @Sendable (InboundCall) throws -> RawJSON) {
        setHandler(method, SynchronousHandler(handler))
    }

    /// Answers the requests of a method without waiting for anything: the handler must not block, see
    /// ``SynchronousHandler``.
    public func handle<P: Decodable & Sendable, R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P) throws -> R
    ) {
        setHandler(
            method,
            SynchronousHandler { call, bytes in
                try call.coder.encode(handler(call.decodeParams()), into: &bytes)
            })
    }

    /// Answers the requests of a method without waiting for anything; the handler also gets the call's id, its extra
    /// members and the session. It must not block, see ``SynchronousHandler``.
    public func handle<P: Decodable & Sendable, R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P, InboundCall) throws -> R
    ) {
        setHandler(
            method,
            SynchronousHandler { call, bytes in
                try call.coder.encode(handler(call.decodeParams(), call), into: &bytes)
            })
    }

    /// Answers the requests of a method without params, without waiting for anything: the handler must not block, see
    /// ``SynchronousHandler``.
    public func handle<R: Encodable & Sendable>(_ method: String, _ handler: @escaping @Sendable () throws -> R) {
        setHandler(
            method,
            SynchronousHandler { call, bytes in
                try call.coder.encode(handler(), into: &bytes)
            })
    }

    /// Answers the requests of all methods which have no handler of their own, without waiting for anything: the
    /// handler must not block, see ``SynchronousHandler``.
    public func handleOthers(_ handler: @escaping @Sendable (InboundCall) throws -> RawJSON) {
        setHandler(nil, SynchronousHandler(handler))
    }

    // MARK: Requests answered in tasks of their own

    /// Answers the requests of a method. A handler that captures its client keeps it and its connection alive, and one
    /// that awaits its closing waits for itself: see ``JSONRPCEndpoint``.
    public func handle<P: Decodable & Sendable, R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P) async throws -> R
    ) {
        setHandler(method) { try $0.coder.encode(try await handler(try $0.decodeParams())) }
    }

    /// Answers the requests of a method; the handler also gets the call's id, its extra members and the session.
    public func handle<P: Decodable & Sendable, R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable (P, InboundCall) async throws -> R
    ) {
        setHandler(method) { try $0.coder.encode(try await handler(try $0.decodeParams(), $0)) }
    }

    /// Answers the requests of a method without params.
    public func handle<R: Encodable & Sendable>(
        _ method: String, _ handler: @escaping @Sendable () async throws -> R
    ) {
        setHandler(method) { try $0.coder.encode(try await handler()) }
    }

    /// Answers the requests of all methods which have no handler of their own.
    public func handleOthers(_ handler: @escaping @Sendable (InboundCall) async throws -> RawJSON) {
        setHandler(nil, handler)
    }
}

extension DuplexSession: JSONRPCEndpoint {
    public var coder: any MessageCoder { driver.coder }

    public func setHandler(_ method: String?, _ handler: (@Sendable (InboundCall) async throws -> RawJSON)?) {
        driver.parts.handlers.setRequestHandler(method, handler.map { .asynchronous($0) })
    }

    public func setHandler(_ method: String?, _ handler: SynchronousHandler) {
        driver.parts.handlers.setRequestHandler(method, .synchronous(handler))
    }

    public func setNotificationHandler(
        _ method: String?, _ handler: (@Sendable (InboundCall) async throws -> Void)?
    ) {
        driver.parts.setNotificationHandler(method, handler)
    }

    public func notificationStream<Value: Sendable>(
        of method: String?, overflow: NotificationOverflow, decoding: NotificationDecodingPolicy,
        decode: @escaping @Sendable (InboundNotification) throws -> Value
    ) -> NotificationStream<Value> {
        driver.parts.notifications.stream(of: method, overflow: overflow, decoding: decoding, decode: decode)
    }
}
