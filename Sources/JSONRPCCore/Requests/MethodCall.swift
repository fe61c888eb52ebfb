// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A request without a type of its own: a method's name, params, and the type of the result.
///
/// ```swift
/// let (sum, data) = try await client.batch(
///     MethodCall("sum", params: [1, 2, 4], as: Int.self), MethodCall("get_data"))
/// ```
public struct MethodCall<Params: Encodable & Sendable, Response: Decodable & Sendable>: JSONRPCRequest {
    public var method: String
    public var params: Params
    public var extraMembers: ExtraMembers

    /// A call of a method.
    ///
    /// - Parameters:
    ///   - method: the method's name.
    ///   - params: see ``JSONRPCRequest/params``. A literal of values of different types needs no types:
    ///     `["token:x", ["http://example.org/"], ["dir": "/"]]`.
    ///   - type: the type that the result is decoded as. `RawJSON` takes it undecoded.
    ///   - extraMembers: members beside `params`.
    public init(
        _ method: String, params: Params, as type: Response.Type = Response.self,
        extraMembers: ExtraMembers = ExtraMembers()
    ) {
        self.method = method
        self.params = params
        self.extraMembers = extraMembers
    }
}

extension MethodCall where Params == JSONValue {
    /// A call with params as a literal, whose values may have different types.
    public init(
        _ method: String, params: JSONValue, as type: Response.Type = Response.self,
        extraMembers: ExtraMembers = ExtraMembers()
    ) {
        self.method = method
        self.params = params
        self.extraMembers = extraMembers
    }
}

extension MethodCall where Params == JSONValue, Response == JSONValue {
    /// A call with params as a literal, whose result is any JSON value.
    public init(_ method: String, params: JSONValue, extraMembers: ExtraMembers = ExtraMembers()) {
        self.init(method, params: params, as: JSONValue.self, extraMembers: extraMembers)
    }
}

extension MethodCall where Response == JSONValue {
    /// A call whose result is any JSON value.
    public init(_ method: String, params: Params, extraMembers: ExtraMembers = ExtraMembers()) {
        self.init(method, params: params, as: JSONValue.self, extraMembers: extraMembers)
    }
}

extension MethodCall where Params == NoParams {
    /// A call without params.
    public init(
        _ method: String, as type: Response.Type = Response.self, extraMembers: ExtraMembers = ExtraMembers()
    ) {
        self.init(method, params: NoParams(), as: type, extraMembers: extraMembers)
    }
}

extension MethodCall where Params == NoParams, Response == JSONValue {
    /// A call without params, whose result is any JSON value.
    public init(_ method: String, extraMembers: ExtraMembers = ExtraMembers()) {
        self.init(method, params: NoParams(), as: JSONValue.self, extraMembers: extraMembers)
    }
}

/// A notification without a type of its own: a method's name and params.
public struct MethodNotification<Params: Encodable & Sendable>: JSONRPCNotification {
    public var method: String
    public var params: Params
    public var extraMembers: ExtraMembers

    /// A notification. For the params see ``JSONRPCRequest/params``.
    public init(_ method: String, params: Params, extraMembers: ExtraMembers = ExtraMembers()) {
        self.method = method
        self.params = params
        self.extraMembers = extraMembers
    }
}

extension MethodNotification where Params == JSONValue {
    /// A notification with params as a literal, whose values may have different types.
    public init(_ method: String, params: JSONValue, extraMembers: ExtraMembers = ExtraMembers()) {
        self.method = method
        self.params = params
        self.extraMembers = extraMembers
    }
}

extension MethodNotification where Params == NoParams {
    /// A notification without params.
    public init(_ method: String, extraMembers: ExtraMembers = ExtraMembers()) {
        self.init(method, params: NoParams(), extraMembers: extraMembers)
    }
}
