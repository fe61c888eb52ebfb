// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

/// A call or a notification on its way out: what interceptors see and may change.
public struct OutboundCall: Sendable {
    public var method: String
    /// An array or an object; `nil` for none.
    public var params: RawJSON?
    /// The time limit of a call. It has no meaning for a notification.
    public var timeout: CallTimeout
    public var options: CallOptions

    public init(
        method: String, params: RawJSON? = nil, timeout: CallTimeout = .default, options: CallOptions = CallOptions()
    ) {
        self.method = method
        self.params = params
        self.timeout = timeout
        self.options = options
    }
}

/// Wraps calls and notifications: to log, measure, retry, add members, or answer from a cache.
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
/// The first interceptor in ``SessionConfiguration/interceptors`` is the outermost. A call throws the errors that its
/// interceptors throw.
///
/// ### Batches
///
/// Interceptors see each member of a batch as they see a single call, whichever way the batch is made. The members'
/// interceptors run concurrently, each member in a task of its own. A member that reaches the end of its interceptors
/// waits there for the others. When all have arrived, or have ended without calling `next`, the batch goes out as one
/// array, in the order of its entries. The outcomes then return through the interceptors.
///
/// - A second call of `next` by a member, such as a retry, goes out as a single call.
/// - Members whose ``OutboundCall/timeout`` an interceptor has changed go out in arrays of their own, one for each
///   timeout.
/// - Members wait for each other for at most the timeout of the batch. Then all members fail with the code `timedOut`
///   and the delivery `notSent`, and their tasks are cancelled. So an interceptor that holds a member back until another
///   member has ended delays the batch until then. Without a timeout it holds the batch for ever.
/// - The timeout of the calls begins when the array goes out, as that of a single call begins with `next`.
public protocol CallInterceptor: Sendable {
    /// Makes the call by `next`: once, several times, or not at all. Runs in the caller's task, or, for a member of a
    /// batch, in a child task.
    func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON

    /// Sends the notification by `next`. The default implementation passes it on unchanged.
    ///
    /// For a member of a batch that also has calls, `next` returns when the calls have ended.
    func intercept(notification: OutboundCall, next: NextInterceptor<Void>) async throws
}

extension CallInterceptor {
    public func intercept(notification: OutboundCall, next: NextInterceptor<Void>) async throws {
        try await next(notification)
    }
}

/// The next interceptor of a call, or the session behind the last interceptor. Called like a function.
///
/// It is a type, since functions that take async functions mean different things in modules with and without the
/// upcoming feature `NonisolatedNonsendingByDefault`.
public struct NextInterceptor<Result: Sendable>: Sendable {
    private let body: @Sendable (OutboundCall) async throws -> Result

    /// For tests of an interceptor.
    public init(_ body: @escaping @Sendable (OutboundCall) async throws -> Result) { self.body = body }

    public func callAsFunction(_ call: OutboundCall) async throws -> Result { try await body(call) }
}

extension NextInterceptor<RawJSON> {
    /// Passes a call through all of these before this.
    func behind(_ interceptors: [any CallInterceptor]) -> Self {
        interceptors.reversed().reduce(self) { next, interceptor in
            Self { try await interceptor.intercept(call: $0, next: next) }
        }
    }
}

extension NextInterceptor<Void> {
    /// Passes a notification through all of these before this.
    func behind(_ interceptors: [any CallInterceptor]) -> Self {
        interceptors.reversed().reduce(self) { next, interceptor in
            Self { try await interceptor.intercept(notification: $0, next: next) }
        }
    }
}
