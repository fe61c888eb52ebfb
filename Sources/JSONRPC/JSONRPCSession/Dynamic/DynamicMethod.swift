// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

/// The name of a method, built from members and called like a function.
///
/// ```swift
/// let difference: Int = try await client.dynamic.math.subtract(42, 23)
/// let value = try await client.dynamic.math.subtract(minuend: 42, subtrahend: 23)
/// let gid: String = try await client.dynamic["aria2.addUri"](["http://127.0.0.1/x"])
/// ```
///
/// These call `math.subtract` by position, `math.subtract` by name for a `JSONValue`, and `aria2.addUri`.
///
/// Arguments without labels are params by position, and arguments with labels are params by name. Without arguments,
/// the message has no `params` member. For params whose names are not Swift identifiers, use `call(_:params:)` with a
/// literal or `ByName`.
///
/// The context determines the type of the result. Without a context, it is a `JSONValue`.
@dynamicMemberLookup
@dynamicCallable
public struct DynamicMethod: Sendable {
    /// The type of a param: any value that can be encoded.
    public typealias Param = any Encodable & Sendable

    fileprivate let caller: any JSONRPCCaller
    fileprivate var names: [String] = []
    fileprivate let separator: String
    fileprivate let timeout: CallTimeout
    fileprivate let options: CallOptions

    /// The name of the method: the members, joined by the separator.
    public var dynamicMethodName: String { names.joined(separator: separator) }

    /// Returns the method with a member added to its name.
    public subscript(dynamicMember name: String) -> DynamicMethod { self[name] }

    /// Returns the method with a member added to its name. Use it for members that are not Swift identifiers, or that
    /// are members of this type.
    public subscript(_ name: String) -> DynamicMethod {
        var method = self
        method.names.append(name)
        return method
    }

    // MARK: Calls

    /// Makes the call with params by position.
    ///
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError`.
    public func dynamicallyCall<Response: Decodable & Sendable>(
        withArguments params: [Param]
    ) async throws -> Response {
        if params.isEmpty { return try await call(MethodCall(dynamicMethodName)) }
        return try await call(MethodCall(dynamicMethodName, params: DynamicParams(params: params)))
    }

    /// Makes the call with params by position, for any JSON value.
    ///
    /// - Throws: The peer's `ErrorObject`; a `ClientError`; a `CancellationError`.
    @discardableResult
    public func dynamicallyCall(withArguments params: [Param]) async throws -> JSONValue {
        if params.isEmpty { return try await call(MethodCall(dynamicMethodName)) }
        return try await call(MethodCall(dynamicMethodName, params: DynamicParams(params: params)))
    }

    /// Makes the call with params by name.
    ///
    /// - Throws: The peer's `ErrorObject`; a `ClientError`, with the code `encodingFailed` if only some arguments have
    ///   labels, or a label is repeated; a `CancellationError`.
    public func dynamicallyCall<Response: Decodable & Sendable>(
        withKeywordArguments params: KeyValuePairs<String, Param>
    ) async throws -> Response {
        try await call(MethodCall(dynamicMethodName, params: try named(params)))
    }

    /// Makes the call with params by name, for any JSON value.
    ///
    /// - Throws: The peer's `ErrorObject`; a `ClientError`, with the code `encodingFailed` if only some arguments have
    ///   labels, or a label is repeated; a `CancellationError`.
    @discardableResult
    public func dynamicallyCall(withKeywordArguments params: KeyValuePairs<String, Param>) async throws -> JSONValue {
        try await call(MethodCall(dynamicMethodName, params: try named(params)))
    }

    private func call<Request: JSONRPCRequest>(_ request: Request) async throws -> Request.Response {
        try await caller.call(request, timeout: timeout, options: options)
    }

    private func named(_ params: KeyValuePairs<String, Param>) throws -> ByName {
        var members = ByName()
        for (name, value) in params {
            guard !name.isEmpty, members[name] == nil else {
                throw ClientError(
                    .encodingFailed,
                    "Could not encode the params of `\(dynamicMethodName)`: some arguments have no label, or a label "
                        + "is repeated. Label all arguments with different names, or none.",
                    method: dynamicMethodName, delivery: .notSent)
            }
            members[name] = value
        }
        return members
    }
}

/// Params of any types, by position.
private struct DynamicParams: Encodable, Sendable {
    var params: [DynamicMethod.Param]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for param in params { try container.encode(param) }
    }
}

extension JSONRPCCaller {
    /// Methods that are called by their names as members, joined with a dot: see ``DynamicMethod``.
    public var dynamic: DynamicMethod { dynamic() }

    /// Returns methods that are called by their names as members: see ``DynamicMethod``.
    ///
    /// - Parameters:
    ///   - separator: The text between the members. The default is a dot.
    ///   - timeout: The timeout of each call. The default is ``SessionConfiguration/Calls/timeout``.
    ///   - options: The options of each call.
    public func dynamic(
        separator: String = ".", timeout: CallTimeout = .default, options: CallOptions = CallOptions()
    ) -> DynamicMethod {
        DynamicMethod(caller: self, separator: separator, timeout: timeout, options: options)
    }
}
