// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import JSONRPCSession
public import WireJSON

/// A request for a call of a proxy's method, for batches and for other callers.
///
/// ```swift
/// let (sum, difference) = try await client.batch(
///     CalculatorProxy.requests.addIntegers(first: 1, second: 2), CalculatorProxy.requests.subtract(5, 3))
/// print(sum, difference)
/// ```
///
/// `@RPC(timeout:)` does not apply to requests, because a batch has its own timeout.
public struct ProxyRequest<Response: Sendable>: JSONRPCRequest {
    /// The wire name of the method.
    public let method: String
    /// The params of the call.
    public let params: ProxyParams
    /// The value of `@RPC(options:)`. A batch sends the extra members.
    public let options: CallOptions
    private let coder: (any MessageCoder)?
    private let decode: @Sendable (RawJSON, any MessageCoder) throws -> Response

    private init(
        _ method: String, _ params: ProxyParams, _ coder: (any MessageCoder)?, _ options: CallOptions,
        decode: @escaping @Sendable (RawJSON, any MessageCoder) throws -> Response
    ) {
        self.method = method
        self.params = params.coding(with: coder)
        self.options = options
        self.coder = coder
        self.decode = decode
    }

    /// Creates a request whose result is decoded. Expansions call it.
    public init(
        _ method: String, _ params: ProxyParams, coder: (any MessageCoder)? = nil,
        options: CallOptions = CallOptions()
    ) where Response: Decodable {
        self.init(method, params, coder, options) { try $1.decode(Response.self, from: $0) }
    }

    /// Creates a request that accepts any result and drops it. Expansions call it.
    public init(
        _ method: String, _ params: ProxyParams, coder: (any MessageCoder)? = nil,
        options: CallOptions = CallOptions()
    ) where Response == Void {
        self.init(method, params, coder, options) { _, _ in }
    }

    @available(
        *, unavailable, message: "a proxy decodes the result: conform its type to 'Decodable' or 'Codable'"
    )
    public init(
        _ method: String, _ params: ProxyParams, coder: (any MessageCoder)? = nil,
        options: CallOptions = CallOptions()
    ) {
        self.init(method, params, coder, options) { _, _ in throw ErrorObject(.internalError) }
    }

    public var extraMembers: ExtraMembers { options.extraMembers }

    public func response(from result: RawJSON, using coder: any MessageCoder) throws -> Response {
        try decode(result, self.coder ?? coder)
    }
}

/// A request for a notification of a proxy's method, for batches and for other callers.
public struct ProxyNotification: JSONRPCNotification {
    public typealias Response = Void

    /// The wire name of the method.
    public let method: String
    /// The params of the notification.
    public let params: ProxyParams
    /// The value of `@RPCNotification(options:)`. A batch sends the extra members.
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
}
