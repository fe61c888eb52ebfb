// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
public import WireJSON

/// A method's name, put together from members, to be called like a function.
///
/// ```swift
/// let difference: Int = try await client.dynamic.math.subtract(42, 23)                  // "math.subtract", [42,23]
/// let value = try await client.dynamic.math.subtract(minuend: 42, subtrahend: 23)       // by name, a JSONValue
/// let gid: String = try await client.dynamic["aria2.addUri"](["http://127.0.0.1/x"])    // no identifier
/// ```
///
/// Arguments without labels are params by position, arguments with labels params by name; none at all leaves the member
/// `params` out. Params whose names are no identifiers go to `call(_:params:)`, as a
/// literal or as `ByName`.
///
/// The result is of the type that the context asks for, and a `JSONValue` where it asks for none.
@dynamicMemberLookup
@dynamicCallable
public struct DynamicMethod: Sendable {
    /// A param: anything that can be encoded.
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

    /// Adds to the name what may be no identifier, or what is a name of this type's own.
    public subscript(_ name: String) -> DynamicMethod {
        DynamicMethod(
            caller: caller, names: names + [name], separator: separator, timeout: timeout, options: options)
    }

    // MARK: Calls

    /// Makes the call with params by position.
    ///
    /// - Throws: what calls throw.
    public func dynamicallyCall<Response: Decodable & Sendable>(
        withArguments params: [Param]
    ) async throws -> Response {
        if params.isEmpty { return try await call(MethodCall(dynamicMethodName)) }
        return try await call(MethodCall(dynamicMethodName, params: DynamicParams(params: params)))
    }

    /// Makes the call with params by position, for any JSON value.
    ///
    /// - Throws: what calls throw.
    @discardableResult
    public func dynamicallyCall(withArguments params: [Param]) async throws -> JSONValue {
        if params.isEmpty { return try await call(MethodCall(dynamicMethodName)) }
        return try await call(MethodCall(dynamicMethodName, params: DynamicParams(params: params)))
    }

    /// Makes the call with params by name.
    ///
    /// - Throws: what calls throw; a `ClientError` with the code `encodingFailed` when some arguments have
    ///   labels and others have none, or two have the same.
    public func dynamicallyCall<Response: Decodable & Sendable>(
        withKeywordArguments params: KeyValuePairs<String, Param>
    ) async throws -> Response {
        try await call(MethodCall(dynamicMethodName, params: try named(params)))
    }

    /// Makes the call with params by name, for any JSON value.
    ///
    /// - Throws: as for other results.
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
    /// Calls methods by their names as members: see ``DynamicMethod``. Members are joined with a dot.
    public var dynamic: DynamicMethod { dynamic() }

    /// Calls methods by their names as members: see ``DynamicMethod``.
    ///
    /// - Parameters:
    ///   - separator: stands between the members.
    ///   - timeout: of each call.
    ///   - options: of each call.
    public func dynamic(
        separator: String = ".", timeout: CallTimeout = .default, options: CallOptions = CallOptions()
    ) -> DynamicMethod {
        DynamicMethod(caller: self, names: [], separator: separator, timeout: timeout, options: options)
    }
}
