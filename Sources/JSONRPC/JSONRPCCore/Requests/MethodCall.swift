// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A call that needs no request type of its own: the name of a method, params, and the type of the result.
///
/// ```swift
/// let (sum, data) = try await client.batch(
///     MethodCall("sum", params: [1, 2, 4], as: Int.self), MethodCall("get_data"))
/// ```
public struct MethodCall<Params: Encodable & Sendable, Response: Decodable & Sendable>: JSONRPCRequest {
    /// The name of the method.
    public var method: String
    /// The params, as in ``JSONRPCRequest/params``.
    public var params: Params
    /// Members beside `params`.
    public var extraMembers: ExtraMembers

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - method: The name of the method.
    ///   - params: The params, as in ``JSONRPCRequest/params``. A literal may have values of different types:
    ///     `["token:x", ["http://example.org/"], ["dir": "/"]]`.
    ///   - type: The type that the result is decoded as. `RawJSON` keeps the result undecoded.
    ///   - extraMembers: Members beside `params`. The default is none.
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
    /// Makes a call with params as a literal, whose values may have different types.
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
    /// Makes a call with params as a literal, whose result is any JSON value.
    public init(_ method: String, params: JSONValue, extraMembers: ExtraMembers = ExtraMembers()) {
        self.init(method, params: params, as: JSONValue.self, extraMembers: extraMembers)
    }
}

extension MethodCall where Response == JSONValue {
    /// Makes a call whose result is any JSON value.
    public init(_ method: String, params: Params, extraMembers: ExtraMembers = ExtraMembers()) {
        self.init(method, params: params, as: JSONValue.self, extraMembers: extraMembers)
    }
}

extension MethodCall where Params == NoParams {
    /// Makes a call without params.
    public init(
        _ method: String, as type: Response.Type = Response.self, extraMembers: ExtraMembers = ExtraMembers()
    ) {
        self.init(method, params: NoParams(), as: type, extraMembers: extraMembers)
    }
}

extension MethodCall where Params == NoParams, Response == JSONValue {
    /// Makes a call without params, whose result is any JSON value.
    public init(_ method: String, extraMembers: ExtraMembers = ExtraMembers()) {
        self.init(method, params: NoParams(), as: JSONValue.self, extraMembers: extraMembers)
    }
}

/// A notification that needs no type of its own: the name of a method and params.
public struct MethodNotification<Params: Encodable & Sendable>: JSONRPCNotification {
    /// The name of the method.
    public var method: String
    /// The params, as in ``JSONRPCRequest/params``.
    public var params: Params
    /// Members beside `params`.
    public var extraMembers: ExtraMembers

    public init(_ method: String, params: Params, extraMembers: ExtraMembers = ExtraMembers()) {
        self.method = method
        self.params = params
        self.extraMembers = extraMembers
    }
}

extension MethodNotification where Params == JSONValue {
    /// Makes a notification with params as a literal, whose values may have different types.
    public init(_ method: String, params: JSONValue, extraMembers: ExtraMembers = ExtraMembers()) {
        self.method = method
        self.params = params
        self.extraMembers = extraMembers
    }
}

extension MethodNotification where Params == NoParams {
    /// Makes a notification without params.
    public init(_ method: String, extraMembers: ExtraMembers = ExtraMembers()) {
        self.init(method, params: NoParams(), extraMembers: extraMembers)
    }
}
