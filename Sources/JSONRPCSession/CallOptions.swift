// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// The limit for a whole call, including the time it waits to be sent.
///
/// `nil` stands for no limit: `call("m", timeout: nil)`.
public struct CallTimeout: Sendable, Hashable, ExpressibleByNilLiteral {
    enum Kind: Sendable, Hashable {
        case configured
        case none
        case after(Duration)
    }

    let kind: Kind

    /// The limit in ``SessionConfiguration/callTimeout``, whose default is 60 seconds.
    public static let `default` = CallTimeout(kind: .configured)
    /// No limit.
    public static let none = CallTimeout(kind: .none)

    /// A limit. With zero or less, a call fails as soon as the timer runs.
    public static func after(_ duration: Duration) -> CallTimeout { CallTimeout(kind: .after(duration)) }

    /// A limit in seconds.
    public static func seconds(_ seconds: Int) -> CallTimeout { .after(.seconds(seconds)) }

    /// A limit. Infinity and more than 292 years stand for no limit.
    public static func seconds(_ seconds: Double) -> CallTimeout {
        if seconds > 9.2e9 { return .none }
        return .after(seconds > 0 ? .seconds(seconds) : .zero)
    }

    /// A limit in milliseconds.
    public static func milliseconds(_ milliseconds: Int) -> CallTimeout { .after(.milliseconds(milliseconds)) }

    private init(kind: Kind) { self.kind = kind }

    public init(nilLiteral: ()) { self = .none }

    /// The limit, given what the configuration says.
    func duration(configured: Duration?) -> Duration? {
        switch kind {
        case .configured: configured
        case .none: nil
        case .after(let duration): duration
        }
    }
}

/// Options of a call or a notification.
public struct CallOptions: Sendable, Hashable {
    /// Members beside `params`, in addition to those in ``SessionConfiguration/extraMembers``.
    public var extraMembers = ExtraMembers()
    /// Whether the peer may safely get the request twice. Policies that repeat calls look at it. The default is false.
    public var isIdempotent = false

    public init() {}

    public init(extraMembers: ExtraMembers, isIdempotent: Bool = false) {
        self.extraMembers = extraMembers
        self.isIdempotent = isIdempotent
    }
}

/// A call, or a notification, on its way out: what interceptors see and may change.
public struct OutboundCall: Sendable {
    public var method: String
    /// An array or an object; nil for none.
    public var params: RawJSON?
    /// Has no meaning for a notification.
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

/// Stands around calls and notifications: to log, measure, retry, add members, answer from a cache.
///
/// ```swift
/// struct Timing: CallInterceptor {
///     func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
///         let start = ContinuousClock.now
///         defer { print(call.method, ContinuousClock.now - start) }
///         return try await next(call)
///     }
/// }
/// ```
///
/// The first interceptor in ``SessionConfiguration/interceptors`` is the outermost. Batches pass by them. What an
/// interceptor throws is what the call throws.
public protocol CallInterceptor: Sendable {
    /// Makes the call by `next`: once, several times, or not at all. Runs in the caller's task.
    func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON

    /// Sends the notification by `next`. Passes it on, unless it is implemented otherwise.
    func intercept(notification: OutboundCall, next: NextInterceptor<Void>) async throws
}

extension CallInterceptor {
    public func intercept(notification: OutboundCall, next: NextInterceptor<Void>) async throws {
        try await next(notification)
    }
}

/// What an interceptor passes a call on to: the next interceptor, and behind the last one the session.
///
/// Called like a function. A type, because functions which take async functions mean different things in modules with
/// and without the upcoming feature `NonisolatedNonsendingByDefault`.
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
