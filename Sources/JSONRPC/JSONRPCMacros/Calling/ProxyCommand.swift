// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import JSONRPCSession

/// A request for a call of a proxy's method without a result. Any result is accepted and dropped.
public struct ProxyCommand: JSONRPCRequest {
    public typealias Response = Void

    /// The wire name of the method.
    public let method: String
    /// The params of the call.
    public let params: ProxyParams
    /// The value of `@RPC(options:)`, with `isIdempotent` set if `@RPC(idempotent:)` is `true`.
    public let options: CallOptions

    /// Creates a request. Expansions call it.
    public init(
        _ method: String, _ params: ProxyParams, coder: (any MessageCoder)? = nil,
        options: CallOptions = CallOptions(), isIdempotent: Bool = false
    ) {
        self.method = method
        self.params = params.coding(with: coder)
        self.options = options.idempotent(isIdempotent)
    }

    public var extraMembers: ExtraMembers { options.extraMembers }

    public var isIdempotent: Bool { options.isIdempotent }

    /// Makes the call over a caller, with the method's options.
    ///
    /// - Parameters:
    ///   - caller: A client, a session, or another caller.
    ///   - timeout: The limit for the whole call. The default is that of the caller's configuration.
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError`, immediately when the task is
    ///   cancelled.
    public func call(over caller: any JSONRPCCaller, timeout: CallTimeout = .default) async throws {
        let params = try params.encoded(using: caller.coder, method: method)
        _ = try await caller.callRaw(method, params: params, timeout: timeout, options: options)
    }
}

/// A request for a notification of a proxy's method, for batches and for other callers.
public struct ProxyNotification: JSONRPCNotification {
    public typealias Response = Void

    /// The wire name of the method.
    public let method: String
    /// The params of the notification.
    public let params: ProxyParams
    /// The value of `@RPCNotification(options:)`. A batch sends its extra members.
    public let options: CallOptions

    /// Creates a notification. Expansions call it.
    public init(
        _ method: String, _ params: ProxyParams, coder: (any MessageCoder)? = nil,
        options: CallOptions = CallOptions()
    ) {
        self.method = method
        self.params = params.coding(with: coder)
        self.options = options
    }

    public var extraMembers: ExtraMembers { options.extraMembers }

    /// Sends the notification over a caller, with the method's options. It returns when the message is in the outbox.
    ///
    /// - Throws: A `ClientError` if it cannot be sent; `CancellationError`.
    public func call(over caller: any JSONRPCCaller) async throws {
        let params = try params.encoded(using: caller.coder, method: method)
        try await caller.notifyRaw(method, params: params, options: options)
    }
}
