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
/// `@RPC(timeout:)` does not apply to requests, because a batch and ``call(over:timeout:)`` have their own
/// timeouts.
public struct ProxyRequest<Response: Sendable>: Sendable {
    /// The wire name of the method.
    public let method: String
    /// The params of the call.
    public let params: ProxyParams
    /// The value of `@RPC(options:)`, with `isIdempotent` set if `@RPC(idempotent:)` is `true`.
    public let options: CallOptions
}

extension ProxyRequest: JSONRPCRequest, _RequestDeclaration where Response: Decodable {
    /// Creates a request. Expansions call it.
    public init(
        _ method: String, _ params: ProxyParams, coder: (any MessageCoder)? = nil,
        options: CallOptions = CallOptions(), isIdempotent: Bool = false
    ) {
        self.init(method: method, params: params.coding(with: coder), options: options.idempotent(isIdempotent))
    }

    public var extraMembers: ExtraMembers { options.extraMembers }

    public var isIdempotent: Bool { options.isIdempotent }

    public func response(from result: RawJSON, using coder: any MessageCoder) throws -> Response {
        if let own = params.coder { return try own.decode(Response.self, from: result) }
        return try coder.decode(Response.self, from: result)
    }

    /// Makes the call over a caller, with the method's options.
    ///
    /// - Parameters:
    ///   - caller: A client, a session, or another caller.
    ///   - timeout: The limit for the whole call. The default is that of the caller's configuration.
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError`, immediately when the task is
    ///   cancelled.
    public func call(over caller: any JSONRPCCaller, timeout: CallTimeout = .default) async throws -> Response {
        let params = try params.encoded(using: caller.coder, method: method)
        let result = try await caller.callRaw(method, params: params, timeout: timeout, options: options)
        do {
            return try response(from: result, using: caller.coder)
        } catch {
            throw ClientError.decodingFailed(error, as: Response.self, method: method, result: result)
        }
    }
}

/// The compile-time errors for results that cannot be decoded.
extension ProxyRequest {
    @available(*, unavailable, message: "a proxy decodes the result: conform its type to 'Decodable' or 'Codable'")
    public init(
        _ method: String, _ params: ProxyParams, coder: (any MessageCoder)? = nil,
        options: CallOptions = CallOptions(), isIdempotent: Bool = false
    ) {
        self.init(method: method, params: params, options: options)
    }

    @available(*, unavailable, message: "a proxy decodes the result: conform its type to 'Decodable' or 'Codable'")
    public func call(over caller: any JSONRPCCaller, timeout: CallTimeout = .default) async throws -> Response {
        throw ErrorObject(.internalError)
    }
}

extension CallOptions {
    /// Returns options whose `isIdempotent` is `true` if it is `true` in these options or in the method's attribute.
    func idempotent(_ isIdempotent: Bool) -> CallOptions {
        guard isIdempotent else { return self }
        var options = self
        options.isIdempotent = true
        return options
    }
}
