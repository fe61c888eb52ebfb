// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

/// A call or a notification that interceptors see and can change before it is sent.
public struct OutboundCall: Sendable {
    /// The name of the method.
    public var method: String
    /// An array or an object; `nil` for no params.
    public var params: RawJSON?
    /// The timeout of a call. It has no effect on a notification.
    public var timeout: CallTimeout
    /// Extra members, and whether the call may be repeated.
    public var options: CallOptions

    /// Makes a call or a notification.
    public init(
        method: String, params: RawJSON? = nil, timeout: CallTimeout = .default, options: CallOptions = CallOptions()
    ) {
        self.method = method
        self.params = params
        self.timeout = timeout
        self.options = options
    }
}

/// An interceptor of calls and notifications. It can log, measure, retry, add members, or answer from a cache.
///
/// ```swift
/// struct Token: CallInterceptor {
///     let token: TokenStore
///
///     func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
///         var call = call
///         try call.options.extraMembers.set("auth", to: await token.current())
///         return try await next(call)
///     }
/// }
/// ```
///
/// The first interceptor in ``SessionConfiguration/Calls/interceptors`` is the outermost. A call throws the errors that
/// its interceptors throw. A client that reconnects waits for its connection first; a call that it sends again after a
/// loss passes the interceptors again.
///
/// ### Batches
///
/// Interceptors see each member of a batch as a single call. The members' interceptors run concurrently, each member in
/// a task of its own. A member that reaches the end of its interceptors waits there for the others. When all have
/// arrived, or have ended without calling `next`, the batch is sent as one array, in the order of its entries. The
/// outcomes then return through the interceptors.
///
/// - A second call of `next` by a member, such as a retry, is sent as a single call.
/// - Members whose ``OutboundCall/timeout`` an interceptor has changed are sent in separate arrays, one for each
///   timeout.
/// - Members wait for each other for at most the timeout of the batch. Then all members fail with the code `timedOut`
///   and the delivery `notSent`, and their tasks are cancelled. An interceptor that delays a member until another
///   member has ended delays the batch until the timeout, or forever without a timeout.
/// - The timeout of the calls begins when the array is sent. The timeout of a single call begins with `next`.
public protocol CallInterceptor: Sendable {
    /// Makes a call by calling `next` once, several times, or not at all. It runs in the caller's task, or in a child
    /// task for a member of a batch.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - next: The next interceptor, or the session.
    /// - Returns: The result of the call.
    /// - Throws: The error of the call. The caller gets it unchanged.
    func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON

    /// Sends a notification by calling `next`. The default implementation passes it on unchanged.
    ///
    /// For a member of a batch that also has calls, `next` returns when the calls have ended.
    func intercept(notification: OutboundCall, next: NextInterceptor<Void>) async throws
}

extension CallInterceptor {
    public func intercept(notification: OutboundCall, next: NextInterceptor<Void>) async throws {
        try await next(notification)
    }
}

/// The next interceptor of a call, or the session after the last interceptor. It is called like a function.
///
/// It is a type and not a closure, because async closures differ in modules with and without the upcoming feature
/// `NonisolatedNonsendingByDefault`.
public struct NextInterceptor<Result: Sendable>: Sendable {
    private let body: @Sendable (OutboundCall) async throws -> Result

    /// Makes a next interceptor from a closure, for tests of an interceptor.
    public init(_ body: @escaping @Sendable (OutboundCall) async throws -> Result) { self.body = body }

    /// Passes the call on, and returns its result.
    public func callAsFunction(_ call: OutboundCall) async throws -> Result { try await body(call) }
}

extension NextInterceptor<RawJSON> {
    /// Returns a chain that passes a call through the interceptors, and then to this one.
    package func behind(_ interceptors: [any CallInterceptor]) -> Self {
        interceptors.reversed().reduce(self) { next, interceptor in
            Self { try await interceptor.intercept(call: $0, next: next) }
        }
    }
}

extension NextInterceptor<Void> {
    /// Returns a chain that passes a notification through the interceptors, and then to this one.
    package func behind(_ interceptors: [any CallInterceptor]) -> Self {
        interceptors.reversed().reduce(self) { next, interceptor in
            Self { try await interceptor.intercept(notification: $0, next: next) }
        }
    }
}
