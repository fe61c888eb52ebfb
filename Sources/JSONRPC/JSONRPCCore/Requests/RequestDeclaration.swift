// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Compile-time checks for members of a request that ``JSONRPCRequest`` would not use. Do not conform to it directly.
///
/// A property `params` of an unsuitable type does not satisfy `JSONRPCRequest.params`. Without this protocol, the
/// default implementation would be used, and the request would be sent without params. In this protocol, the property
/// satisfies a requirement of any type. Each check is a requirement with two implementations: one for the types that
/// are used, and an unavailable one for all other types. The compiler shows the message of the unavailable one at the
/// declaration of the request.
public protocol _RequestDeclaration {
    associatedtype _Params = NoParams
    associatedtype _ExtraMembers = ExtraMembers
    associatedtype _Timeout = CallTimeout

    // `async throws` lets getters with such effects satisfy the requirement, so that they are refused, too.
    var params: _Params { get async throws }
    var extraMembers: _ExtraMembers { get }
    var timeout: _Timeout { get }

    static func _paramsAreUsed()
    static func _extraMembersAreUsed()
    static func _timeoutIsUsed()

    // A request without params that has `parameters` would not send them. A request with params may use them in
    // `params`.
    associatedtype _Parameters = _Absent

    @available(*, deprecated, message: "a request has no such member")
    var parameters: _Parameters { get }

    static func _parametersAreUsed()
}

/// The type of a member that a request does not have.
public struct _Absent: Sendable {}

// MARK: params, extraMembers and timeout

extension _RequestDeclaration where Self: JSONRPCRequest, _Params == Self.Params {
    public static func _paramsAreUsed() {}
}

extension _RequestDeclaration where _ExtraMembers == ExtraMembers {
    public static func _extraMembersAreUsed() {}
}

extension _RequestDeclaration where _Timeout == CallTimeout {
    public static func _timeoutIsUsed() {}
}

extension _RequestDeclaration {
    @available(
        *, unavailable,
        message: """
            'params' would not be sent: its type must be 'Encodable' and 'Sendable', and its getter neither 'async' \
            nor 'throws'
            """
    )
    public static func _paramsAreUsed() {}

    @available(
        *, unavailable,
        message: "'extraMembers' would not be sent: its type must be 'ExtraMembers'"
    )
    public static func _extraMembersAreUsed() {}

    @available(*, unavailable, message: "'timeout' would not be used: its type must be 'CallTimeout'")
    public static func _timeoutIsUsed() {}
}

// MARK: parameters

extension _RequestDeclaration where _Parameters == _Absent {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var parameters: _Parameters { _Absent() }
}

extension _RequestDeclaration {
    public static func _parametersAreUsed() {}
}

extension _RequestDeclaration where Self: JSONRPCRequest, Self.Params == NoParams {
    @available(
        *, unavailable,
        message: "'parameters' would not be sent: rename it to 'params' and give it an 'Encodable' type"
    )
    public static func _parametersAreUsed() {}
}

extension _RequestDeclaration where Self: JSONRPCRequest, Self.Params == NoParams, _Parameters == _Absent {
    public static func _parametersAreUsed() {}
}
