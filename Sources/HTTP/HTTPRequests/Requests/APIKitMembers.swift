// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Members of APIKit's requests. Do not conform to it directly.
///
/// They would have no effect here: a request with `bodyParameters` would be sent without its body. Each `associatedtype`
/// is the type of the member if a request declares it, and ``_AbsentMember`` otherwise. The requirements of
/// `HTTPAPIRequest` with an underscore are unavailable for requests that declare the member. The compiler shows their
/// messages at the declaration of the request.
public protocol _APIKitMembers {
    associatedtype _Parameters = _AbsentMember
    associatedtype _QueryParameters = _AbsentMember
    associatedtype _BodyParameters = _AbsentMember
    associatedtype _DataParser = _AbsentMember
    associatedtype _URLRequest = _AbsentMember
    associatedtype _Intercepted = _AbsentMember
    associatedtype _InterceptedURLResponse = _AbsentMember
    associatedtype _ParsedURLResponse = _AbsentMember
    associatedtype _ParsedResponse = _AbsentMember

    @available(*, deprecated, message: "a request has no such member")
    var parameters: _Parameters { get }
    @available(*, deprecated, message: "a request has no such member")
    var queryParameters: _QueryParameters { get }
    @available(*, deprecated, message: "a request has no such member")
    var bodyParameters: _BodyParameters { get }
    @available(*, deprecated, message: "a request has no such member")
    var dataParser: _DataParser { get }
    @available(*, deprecated, message: "a request has no such member")
    func intercept(urlRequest: _URLRequest) throws -> _URLRequest
    @available(*, deprecated, message: "a request has no such member")
    func intercept(object: Any, urlResponse: _InterceptedURLResponse) throws -> _Intercepted
    @available(*, deprecated, message: "a request has no such member")
    func response(from object: Any, urlResponse: _ParsedURLResponse) throws -> _ParsedResponse
}

/// The type of a member that a request does not declare.
public struct _AbsentMember: Sendable {}

// MARK: Members that are not declared

// Where a member could have any type, the extension also makes the requirement with an underscore available.

extension _APIKitMembers where _Parameters == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var parameters: _Parameters { _AbsentMember() }
}

extension _APIKitMembers where _QueryParameters == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var queryParameters: _QueryParameters { _AbsentMember() }
}

extension HTTPAPIRequest where _BodyParameters == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var bodyParameters: _BodyParameters { _AbsentMember() }
    public static var _bodyParameters: Void { () }
}

extension HTTPAPIRequest where _DataParser == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var dataParser: _DataParser { _AbsentMember() }
    public static var _dataParser: Void { () }
}

extension HTTPAPIRequest where _URLRequest == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public func intercept(urlRequest: _URLRequest) throws -> _URLRequest { urlRequest }
    public static var _interceptURLRequest: Void { () }
}

extension HTTPAPIRequest where _InterceptedURLResponse == _AbsentMember, _Intercepted == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public func intercept(object: Any, urlResponse: _InterceptedURLResponse) throws -> _Intercepted { _AbsentMember() }
    public static var _interceptObject: Void { () }
}

extension HTTPAPIRequest where _ParsedURLResponse == _AbsentMember, _ParsedResponse == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public func response(from object: Any, urlResponse: _ParsedURLResponse) throws -> _ParsedResponse {
        _AbsentMember()
    }
    public static var _responseFromObject: Void { () }
}

// MARK: Members that are declared

extension HTTPAPIRequest {
    public static var _parameters: Void { () }
    public static var _queryParameters: Void { () }

    @available(
        *, unavailable,
        message: "APIKit's 'bodyParameters' would not be sent: use 'body', of a type such as 'JSONHTTPBody'"
    )
    public static var _bodyParameters: Void { () }

    @available(
        *, unavailable,
        message: "APIKit's 'dataParser' would not be used: choose the type of 'Response', or a 'decoder'"
    )
    public static var _dataParser: Void { () }

    @available(
        *, unavailable,
        message:
            "APIKit's 'intercept(urlRequest:)' would not be called: implement 'intercept(_:)', with an 'inout' head"
    )
    public static var _interceptURLRequest: Void { () }

    @available(
        *, unavailable,
        message: """
            APIKit's 'intercept(object:urlResponse:)' would not be called: implement 'validate(_:)', which gets the \
            head, or 'response(from:)', which gets head and body
            """
    )
    public static var _interceptObject: Void { () }

    @available(
        *, unavailable,
        message: "APIKit's 'response(from:urlResponse:)' would not be called: implement 'response(from:)'"
    )
    public static var _responseFromObject: Void { () }
}

// Properties of these names with other types than APIKit's are the program's own.
extension HTTPAPIRequest where _Parameters == Any? {
    @available(
        *, unavailable,
        message: "APIKit's 'parameters' would not be sent: use 'queryItems', or a 'body' such as 'JSONHTTPBody'"
    )
    public static var _parameters: Void { () }
}

extension HTTPAPIRequest where _QueryParameters == [String: Any]? {
    @available(*, unavailable, message: "APIKit's 'queryParameters' would not be sent: use 'queryItems'")
    public static var _queryParameters: Void { () }
}
