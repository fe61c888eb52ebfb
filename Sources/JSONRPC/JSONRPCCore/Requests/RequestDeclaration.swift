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

    // The members of JSONRPCKit's requests.
    associatedtype _Parameters = _Absent
    associatedtype _ExtendedFields = _Absent
    associatedtype _IsNotification = _Absent
    associatedtype _ResponseFromAny = _Absent

    @available(*, deprecated, message: "a request has no such member")
    var parameters: _Parameters { get }
    @available(*, deprecated, message: "a request has no such member")
    var extendedFields: _ExtendedFields { get }
    @available(*, deprecated, message: "a request has no such member")
    var isNotification: _IsNotification { get }
    @available(*, deprecated, message: "a request has no such member")
    func response(from resultObject: Any) throws -> _ResponseFromAny

    static func _parametersAreUsed()
    static func _extendedFieldsAreUsed()
    static func _isNotificationIsUsed()
    static func _responseFromAnyIsUsed()
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

// MARK: Members that a request may have, unless they are JSONRPCKit's

extension _RequestDeclaration where _Parameters == _Absent {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var parameters: _Parameters { _Absent() }
}

extension _RequestDeclaration where _ExtendedFields == _Absent {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var extendedFields: _ExtendedFields { _Absent() }
}

extension _RequestDeclaration where _IsNotification == _Absent {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var isNotification: _IsNotification { _Absent() }
}

extension _RequestDeclaration where _ResponseFromAny == _Absent {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public func response(from resultObject: Any) throws -> _ResponseFromAny { _Absent() }

    public static func _responseFromAnyIsUsed() {}
}

extension _RequestDeclaration {
    public static func _parametersAreUsed() {}
    public static func _extendedFieldsAreUsed() {}
    public static func _isNotificationIsUsed() {}

    @available(
        *, unavailable,
        message: "JSONRPCKit's 'response(from:)' would not be called: implement 'response(from:using:)'"
    )
    public static func _responseFromAnyIsUsed() {}
}

extension _RequestDeclaration where _Parameters == Any? {
    @available(
        *, unavailable,
        message: "JSONRPCKit's 'parameters' would not be sent: rename it to 'params' and give it an 'Encodable' type"
    )
    public static func _parametersAreUsed() {}
}

// A request without params that has `parameters` would not send them. A request with params may use them in `params`.
extension _RequestDeclaration where Self: JSONRPCRequest, Self.Params == NoParams {
    @available(
        *, unavailable,
        message: "'parameters' would not be sent: rename it to 'params' and give it an 'Encodable' type"
    )
    public static func _parametersAreUsed() {}
}

extension _RequestDeclaration where Self: JSONRPCRequest, Self.Params == NoParams, _Parameters == Any? {
    @available(
        *, unavailable,
        message: "JSONRPCKit's 'parameters' would not be sent: rename it to 'params' and give it an 'Encodable' type"
    )
    public static func _parametersAreUsed() {}
}

extension _RequestDeclaration where Self: JSONRPCRequest, Self.Params == NoParams, _Parameters == _Absent {
    public static func _parametersAreUsed() {}
}

extension _RequestDeclaration where _ExtendedFields == [String: Any]? {
    @available(
        *, unavailable,
        message: "JSONRPCKit's 'extendedFields' would not be sent: rename it to 'extraMembers', of type 'ExtraMembers'"
    )
    public static func _extendedFieldsAreUsed() {}
}

extension _RequestDeclaration where _IsNotification == Bool {
    @available(
        *, unavailable,
        message: "JSONRPCKit's 'isNotification' has no effect: conform to 'JSONRPCNotification' instead"
    )
    public static func _isNotificationIsUsed() {}
}
