// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// The members of a request with the types that its declaration gives them. Do not conform to it directly.
///
/// A property `headerFields` of an unsuitable type does not satisfy `HTTPAPIRequest.headerFields`. Without this protocol,
/// the default implementation would be used, and the request would be sent without the fields. In this protocol, the
/// property satisfies a requirement of any type, so ``_HeaderFields`` is the type of the property. The default
/// implementation of `HTTPAPIRequest.headerFields` exists twice: one for the type that is used, and an unavailable one for
/// all other types. The compiler shows the message of the unavailable one at the declaration of the request.
public protocol _HTTPRequestMembers {
    associatedtype _Method = HTTPRequest.Method
    associatedtype _QueryItems = [HTTPQueryItem]
    associatedtype _QueryEncoding = HTTPQueryEncoding
    associatedtype _HeaderFields = HTTPFields
    associatedtype _Body = NoHTTPBody
    associatedtype _IsIdempotent = Bool
    associatedtype _Timeouts = HTTPTimeouts?
    associatedtype _MaximumResponseBytes = Int?
    associatedtype _Decoder = (any HTTPResponseDecoder)?
    associatedtype _Interceptors = [any HTTPInterceptor]
    associatedtype _Validation = Void

    // `async throws` lets getters with such effects satisfy the requirements, so that they are refused, too.
    var method: _Method { get async throws }
    var queryItems: _QueryItems { get async throws }
    var queryEncoding: _QueryEncoding { get async throws }
    var headerFields: _HeaderFields { get async throws }
    var body: _Body { get async throws }
    var isIdempotent: _IsIdempotent { get async throws }
    var timeouts: _Timeouts { get async throws }
    var maximumResponseBytes: _MaximumResponseBytes { get async throws }
    var decoder: _Decoder { get async throws }
    var interceptors: _Interceptors { get async throws }
    func validate(_ head: HTTPResponse) async throws -> _Validation

    // The members of APIKit's requests.
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

/// The type of a member that a request does not have.
public struct _AbsentMember: Sendable {}

// MARK: Members that are not declared

extension _HTTPRequestMembers where _Parameters == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var parameters: _Parameters { _AbsentMember() }
}

extension _HTTPRequestMembers where _QueryParameters == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var queryParameters: _QueryParameters { _AbsentMember() }
}

extension _HTTPRequestMembers where _BodyParameters == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var bodyParameters: _BodyParameters { _AbsentMember() }
}

extension _HTTPRequestMembers where _DataParser == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var dataParser: _DataParser { _AbsentMember() }
}

extension _HTTPRequestMembers where _URLRequest == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public func intercept(urlRequest: _URLRequest) throws -> _URLRequest { urlRequest }
}

extension _HTTPRequestMembers where _InterceptedURLResponse == _AbsentMember, _Intercepted == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public func intercept(object: Any, urlResponse: _InterceptedURLResponse) throws -> _Intercepted { _AbsentMember() }
}

extension _HTTPRequestMembers where _ParsedURLResponse == _AbsentMember, _ParsedResponse == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public func response(from object: Any, urlResponse: _ParsedURLResponse) throws -> _ParsedResponse {
        _AbsentMember()
    }
}
