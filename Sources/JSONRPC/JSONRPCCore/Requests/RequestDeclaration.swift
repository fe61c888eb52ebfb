// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The members of a request with the types that its declaration gives them. Do not conform to it directly.
///
/// A property `params` of an unsuitable type does not satisfy `JSONRPCRequest.params`. Without this protocol, the
/// default implementation would be used, and the request would be sent without params. This protocol requires the
/// property with any type, so ``_Params`` is its type. The default implementation of `JSONRPCRequest.params` exists
/// more than once: for requests without the property, and unavailable for all others. The compiler shows the message of
/// the unavailable one at the declaration of the request.
public protocol _RequestDeclaration {
    associatedtype _Params = NoParams
    associatedtype _ExtraMembers = ExtraMembers
    associatedtype _Timeout = CallTimeout
    associatedtype _IsIdempotent = Bool
    associatedtype _Parameters = _Absent

    // `async throws` lets getters with such effects satisfy the requirement, so that they are refused, too.
    var params: _Params { get async throws }
    var extraMembers: _ExtraMembers { get }
    var timeout: _Timeout { get }
    var isIdempotent: _IsIdempotent { get }
    @available(*, deprecated, message: "a request has no such member")
    var parameters: _Parameters { get }
}

/// The type of a member that a request does not have.
public struct _Absent: Sendable {}

// MARK: params and parameters

extension JSONRPCRequest where Params == NoParams, _Params == NoParams, _Parameters == _Absent {
    public var params: NoParams { NoParams() }
}

// A request with params may use a property `parameters` in `params`.
extension JSONRPCRequest where Params == NoParams, _Params == NoParams {
    @available(
        *, unavailable,
        message: "'parameters' would not be sent: rename it to 'params' and give it an 'Encodable' type"
    )
    public var params: NoParams { NoParams() }
}

extension JSONRPCRequest where Params == NoParams {
    @available(
        *, unavailable,
        message: """
            'params' would not be sent: its type must be 'Encodable' and 'Sendable', and its getter neither 'async' \
            nor 'throws'
            """
    )
    public var params: NoParams { NoParams() }
}

extension _RequestDeclaration where _Parameters == _Absent {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var parameters: _Parameters { _Absent() }
}

// MARK: extraMembers, timeout and isIdempotent

extension JSONRPCRequest where _ExtraMembers == ExtraMembers {
    public var extraMembers: ExtraMembers { ExtraMembers() }
}

extension JSONRPCRequest where _Timeout == CallTimeout {
    public var timeout: CallTimeout { .default }
}

extension JSONRPCRequest where _IsIdempotent == Bool {
    public var isIdempotent: Bool { false }
}

extension JSONRPCRequest {
    @available(*, unavailable, message: "'extraMembers' would not be sent: its type must be 'ExtraMembers'")
    public var extraMembers: ExtraMembers { ExtraMembers() }

    @available(*, unavailable, message: "'timeout' would not be used: its type must be 'CallTimeout'")
    public var timeout: CallTimeout { .default }

    @available(*, unavailable, message: "'isIdempotent' would not be used: its type must be 'Bool'")
    public var isIdempotent: Bool { false }
}
