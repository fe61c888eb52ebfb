// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

/// An interceptor of the peer's requests and notifications. It can authorize, log, measure, or answer by itself.
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
/// The first interceptor in ``SessionConfiguration/Inbound/interceptors`` is the outermost. Errors of interceptors are
/// answered like errors of handlers. Interceptors see the members of the peer's arrays one by one. They do not see
/// requests and notifications without a handler, cancellation notices, and the notifications of streams.
///
/// Order: calls of asynchronous handlers pass their interceptors concurrently, each in its own task. Calls of a
/// ``SynchronousHandler`` pass them one at a time, in the order of arrival, even if an interceptor suspends. The same
/// holds for the notifications of one handler. So an interceptor that suspends for long delays the synchronous handlers
/// of its session.
public protocol InboundCallInterceptor: Sendable {
    /// Answers a request by calling `next`, or without it. It runs in the task that serves the request.
    ///
    /// - Parameters:
    ///   - call: The request.
    ///   - next: The next interceptor, or the handler.
    /// - Returns: The result for the peer.
    /// - Throws: The error for the peer, which is answered like an error of a handler.
    func intercept(call: InboundCall, next: NextInboundInterceptor<RawJSON>) async throws -> RawJSON

    /// Handles a notification by calling `next`, or drops it. The default implementation passes it on.
    func intercept(notification: InboundCall, next: NextInboundInterceptor<Void>) async throws
}

extension InboundCallInterceptor {
    public func intercept(notification: InboundCall, next: NextInboundInterceptor<Void>) async throws {
        try await next(notification)
    }
}

/// The next interceptor of an inbound call, or the handler after the last interceptor. It is called like a function.
public struct NextInboundInterceptor<Result: Sendable>: Sendable {
    private let body: @Sendable (InboundCall) async throws -> Result

    init(_ body: @escaping @Sendable (InboundCall) async throws -> Result) { self.body = body }

    /// Passes the call on, and returns its result.
    public func callAsFunction(_ call: InboundCall) async throws -> Result { try await body(call) }
}

extension NextInboundInterceptor<RawJSON> {
    /// Returns a chain that passes a call through the interceptors, and then to this one.
    func behind(_ interceptors: [any InboundCallInterceptor]) -> Self {
        interceptors.reversed().reduce(self) { next, interceptor in
            Self { try await interceptor.intercept(call: $0, next: next) }
        }
    }
}

extension NextInboundInterceptor<Void> {
    /// Returns a chain that passes a notification through the interceptors, and then to this one.
    func behind(_ interceptors: [any InboundCallInterceptor]) -> Self {
        interceptors.reversed().reduce(self) { next, interceptor in
            Self { try await interceptor.intercept(notification: $0, next: next) }
        }
    }
}
