// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

/// Wraps the handlers of the peer's requests and notifications: to authorize, log, measure, or answer by itself.
///
/// ```swift
/// struct Authorization: InboundCallInterceptor {
///     func intercept(call: InboundCall, next: NextInboundInterceptor<RawJSON>) async throws -> RawJSON {
///         guard call.member("auth") != nil else { throw ErrorObject(code: 401, message: "Unauthorized") }
///         return try await next(call)
///     }
/// }
/// ```
///
/// The first interceptor in ``SessionConfiguration/inboundInterceptors`` is the outermost. Errors that interceptors throw
/// are answered as those of a handler are. Interceptors see the members of the peer's arrays one by one. They do not see
/// requests and notifications without a handler, the peer's cancellation notices, or the elements of notification streams.
///
/// Order: calls of asynchronous handlers pass their interceptors concurrently, each in its own task. Calls of a
/// ``SynchronousHandler`` pass them one after the other, in the order in which they came: the interceptors of a call,
/// and the handler, have ended before those of the next call begin, also if an interceptor waits. So an interceptor that
/// waits long delays the synchronous handlers of its session. The notifications of one handler pass in order, too.
public protocol InboundCallInterceptor: Sendable {
    /// Answers the request by `next`, or without it. Runs in the task that serves the request.
    func intercept(call: InboundCall, next: NextInboundInterceptor<RawJSON>) async throws -> RawJSON

    /// Handles the notification by `next`, or drops it. The default implementation passes it on.
    func intercept(notification: InboundCall, next: NextInboundInterceptor<Void>) async throws
}

extension InboundCallInterceptor {
    public func intercept(notification: InboundCall, next: NextInboundInterceptor<Void>) async throws {
        try await next(notification)
    }
}

/// The next interceptor of an inbound call, or the handler behind the last interceptor. Called like a function.
public struct NextInboundInterceptor<Result: Sendable>: Sendable {
    private let body: @Sendable (InboundCall) async throws -> Result

    init(_ body: @escaping @Sendable (InboundCall) async throws -> Result) { self.body = body }

    public func callAsFunction(_ call: InboundCall) async throws -> Result { try await body(call) }
}

extension NextInboundInterceptor<RawJSON> {
    /// Passes a call through all of these before this.
    func behind(_ interceptors: [any InboundCallInterceptor]) -> Self {
        interceptors.reversed().reduce(self) { next, interceptor in
            Self { try await interceptor.intercept(call: $0, next: next) }
        }
    }
}

extension NextInboundInterceptor<Void> {
    /// Passes a notification through all of these before this.
    func behind(_ interceptors: [any InboundCallInterceptor]) -> Self {
        interceptors.reversed().reduce(self) { next, interceptor in
            Self { try await interceptor.intercept(notification: $0, next: next) }
        }
    }
}
