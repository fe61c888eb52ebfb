// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

// Calls that return their outcome as a `Result`, so that errors need no cast.
extension JSONRPCCaller {
    /// Makes a call, and returns its outcome.
    ///
    /// - Parameters:
    ///   - method: The name of the method.
    ///   - params: A value that encodes as a JSON array or object. It is encoded in the caller's task.
    ///   - type: The type that the result is decoded as.
    ///   - timeout: The limit for the whole call, including the time it waits to be sent.
    ///   - options: Extra members, and whether the call may be repeated.
    public func result<P: Encodable & Sendable, R: Decodable & Sendable>(
        of method: String, params: P, as type: R.Type, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) async -> Result<R, CallError> {
        await outcome(of: method) {
            try await call(method, params: params, as: type, timeout: timeout, options: options)
        }
    }

    /// Makes a call without params, or with params as a literal, whose values may have different types, and returns its
    /// outcome.
    public func result<R: Decodable & Sendable>(
        of method: String, params: JSONValue = nil, as type: R.Type, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) async -> Result<R, CallError> {
        await outcome(of: method) {
            try await call(method, params: params, as: type, timeout: timeout, options: options)
        }
    }

    /// Makes the call of a request, or sends a `JSONRPCNotification`, and returns its outcome.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - timeout: The limit for the whole call, including the time it waits to be sent. The default is the request's
    ///     own `timeout`. It does not apply to notifications.
    ///   - options: Options whose extra members are added to the request's own.
    public func result<Request: JSONRPCRequest>(
        of request: Request, timeout: CallTimeout = .default, options: CallOptions = CallOptions()
    ) async -> Result<Request.Response, CallError> {
        await outcome(of: request.method) { try await call(request, timeout: timeout, options: options) }
    }

    private func outcome<R>(
        of method: String, _ body: () async throws -> R
    ) async -> Result<R, CallError> {
        do {
            return .success(try await body())
        } catch {
            return .failure(CallError(error, method: method))
        }
    }
}
