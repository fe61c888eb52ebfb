// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A type whose values cannot be params, because they encode as neither an array nor an object (JSON-RPC 2.0 §4.2). Do
/// not conform to it.
///
/// The functions here make the compiler warn about such params. They are deprecated and not unavailable, because the
/// compiler prefers any available function.
public protocol _ScalarParams {}

extension Int: _ScalarParams {}
extension Int64: _ScalarParams {}
extension UInt: _ScalarParams {}
extension UInt64: _ScalarParams {}
extension Double: _ScalarParams {}
extension Float: _ScalarParams {}
extension Bool: _ScalarParams {}
extension String: _ScalarParams {}

extension JSONRPCCaller {
    /// Throws a `ClientError` with the code `encodingFailed`.
    @available(*, deprecated, message: "the call fails: params must be an array or an object, such as '[value]'")
    public func call<P: Encodable & Sendable & _ScalarParams, R: Decodable & Sendable>(
        _ method: String, params: P, as type: R.Type = R.self, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) async throws -> R {
        throw ClientError.unstructuredParams(method: method)
    }

    /// Throws a `ClientError` with the code `encodingFailed`.
    @available(*, deprecated, message: "the call fails: params must be an array or an object, such as '[value]'")
    @discardableResult
    public func call<P: Encodable & Sendable & _ScalarParams>(
        _ method: String, params: P, timeout: CallTimeout = .default, options: CallOptions = CallOptions()
    ) async throws -> JSONValue {
        throw ClientError.unstructuredParams(method: method)
    }

    /// Throws a `ClientError` with the code `encodingFailed`.
    @available(*, deprecated, message: "it fails: params must be an array or an object, such as '[value]'")
    public func notify<P: Encodable & Sendable & _ScalarParams>(
        _ method: String, params: P, options: CallOptions = CallOptions()
    ) async throws {
        throw ClientError.unstructuredParams(method: method)
    }

    /// Returns a `ClientError` with the code `encodingFailed`.
    @available(*, deprecated, message: "the call fails: params must be an array or an object, such as '[value]'")
    public func result<P: Encodable & Sendable & _ScalarParams, R: Decodable & Sendable>(
        of method: String, params: P, as type: R.Type, timeout: CallTimeout = .default,
        options: CallOptions = CallOptions()
    ) async -> Result<R, CallError> {
        .failure(.failed(.unstructuredParams(method: method)))
    }
}
