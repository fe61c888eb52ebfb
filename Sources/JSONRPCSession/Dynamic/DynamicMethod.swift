// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

/// A method's name, composed of members, that is called like a function.
///
/// ```swift
/// let difference: Int = try await client.dynamic.math.subtract(42, 23)                  // "math.subtract", [42,23]
/// let value = try await client.dynamic.math.subtract(minuend: 42, subtrahend: 23)       // by name, a JSONValue
/// let gid: String = try await client.dynamic["aria2.addUri"](["http://127.0.0.1/x"])    // no identifier
/// ```
///
/// Arguments without labels are params by position, arguments with labels are params by name. Without arguments, there are
/// no params. Params whose names are no identifiers go to `call(_:params:)`, as a
/// literal or as `ByName`.
///
/// The result has the type that the context asks for, or is a `JSONValue`.
@dynamicMemberLookup
@dynamicCallable
public struct DynamicMethod: Sendable {
    /// A param: any value that can be encoded.
    public typealias Param = any Encodable & Sendable

    private let caller: any JSONRPCCaller
    private let names: [String]
    private let separator: String
    private let timeout: CallTimeout
    private let options: CallOptions

    fileprivate init(
        caller: any JSONRPCCaller, names: [String], separator: String, timeout: CallTimeout, options: CallOptions
    ) {
        self.caller = caller
        self.names = names
        self.separator = separator
        self.timeout = timeout
        self.options = options
    }

    /// The method's name: the members so far, with the separator between them.
    public var dynamicMethodName: String { names.joined(separator: separator) }

    /// Adds a member to the name.
    public subscript(dynamicMember name: String) -> DynamicMethod { self[name] }

    /// Adds a member to the name that need not be an identifier, or that is a member of this type.
    public subscript(_ name: String) -> DynamicMethod {
        DynamicMethod(
            caller: caller, names: names + [name], separator: separator, timeout: timeout, options: options)
    }

    // MARK: Calls

    /// Makes the call with params by position.
    ///
    /// - Throws: the same errors as `call`.
    public func dynamicallyCall<Response: Decodable & Sendable>(
        withArguments params: [Param]
    ) async throws -> Response {
        if params.isEmpty { return try await call(MethodCall(dynamicMethodName)) }
        return try await call(MethodCall(dynamicMethodName, params: DynamicParams(params: params)))
    }

    /// Makes the call with params by position, for any JSON value.
    ///
    /// - Throws: the same errors as `call`.
    @discardableResult
    public func dynamicallyCall(withArguments params: [Param]) async throws -> JSONValue {
        if params.isEmpty { return try await call(MethodCall(dynamicMethodName)) }
        return try await call(MethodCall(dynamicMethodName, params: DynamicParams(params: params)))
    }

    /// Makes the call with params by name.
    ///
    /// - Throws: the same errors as `call`; a `ClientError` with the code `encodingFailed` if some arguments have labels and
    ///   others have none, or if two have the same label.
    public func dynamicallyCall<Response: Decodable & Sendable>(
        withKeywordArguments params: KeyValuePairs<String, Param>
    ) async throws -> Response {
        try await call(MethodCall(dynamicMethodName, params: try named(params)))
    }

    /// Makes the call with params by name, for any JSON value.
    ///
    /// - Throws: the same errors as for other results.
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
                    "Could not encode the params of `\(dynamicMethodName)`: either no argument has a label, or each has "
                        + "a label of its own.",
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
    /// Calls methods as if they were functions: see ``DynamicMethod``. Members are joined with a dot.
    public var dynamic: DynamicMethod { dynamic() }

    /// Calls methods as if they were functions: see ``DynamicMethod``.
    ///
    /// - Parameters:
    ///   - separator: the text between the members. The default is a dot.
    ///   - timeout: the timeout of each call.
    ///   - options: the options of each call.
    public func dynamic(
        separator: String = ".", timeout: CallTimeout = .default, options: CallOptions = CallOptions()
    ) -> DynamicMethod {
        DynamicMethod(caller: self, names: [], separator: separator, timeout: timeout, options: options)
    }
}
