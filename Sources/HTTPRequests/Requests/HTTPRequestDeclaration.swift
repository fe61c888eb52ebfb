// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// Compile-time checks for members of a request that ``HTTPAPIRequest`` would not use. Do not conform to it directly.
///
/// A property `headerFields` of an unsuitable type does not satisfy `HTTPAPIRequest.headerFields`. Without this protocol,
/// the default implementation would be used, and the request would be sent without the fields. In this protocol, the
/// property satisfies a requirement of any type. Each check is a requirement with two implementations: one for the type
/// that is used, and an unavailable one for all other types. The compiler shows the message of the unavailable one at the
/// declaration of the request.
public protocol _HTTPRequestDeclaration {
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

    static func _methodIsUsed()
    static func _queryItemsAreUsed()
    static func _queryEncodingIsUsed()
    static func _headerFieldsAreUsed()
    static func _bodyIsUsed()
    static func _isIdempotentIsUsed()
    static func _timeoutsAreUsed()
    static func _maximumResponseBytesAreUsed()
    static func _decoderIsUsed()
    static func _interceptorsAreUsed()
    static func _validateIsUsed()

    // The members of APIKit's requests.
    associatedtype _Parameters = _AbsentMember
    associatedtype _QueryParameters = _AbsentMember
    associatedtype _URLRequest = _AbsentMember

    @available(*, deprecated, message: "a request has no such member")
    var parameters: _Parameters { get }
    @available(*, deprecated, message: "a request has no such member")
    var queryParameters: _QueryParameters { get }
    @available(*, deprecated, message: "a request has no such member")
    func intercept(urlRequest: _URLRequest) throws -> _URLRequest

    static func _parametersAreUsed()
    static func _queryParametersAreUsed()
    static func _interceptURLRequestIsUsed()
}

/// The type of a member that a request does not have.
public struct _AbsentMember: Sendable {}

// MARK: Members of a suitable type

extension _HTTPRequestDeclaration where _Method == HTTPRequest.Method {
    public static func _methodIsUsed() {}
}

extension _HTTPRequestDeclaration where _QueryItems == [HTTPQueryItem] {
    public static func _queryItemsAreUsed() {}
}

extension _HTTPRequestDeclaration where _QueryEncoding == HTTPQueryEncoding {
    public static func _queryEncodingIsUsed() {}
}

extension _HTTPRequestDeclaration where _HeaderFields == HTTPFields {
    public static func _headerFieldsAreUsed() {}
}

extension _HTTPRequestDeclaration where Self: HTTPAPIRequest, _Body == Self.Body {
    public static func _bodyIsUsed() {}
}

extension _HTTPRequestDeclaration where _IsIdempotent == Bool {
    public static func _isIdempotentIsUsed() {}
}

extension _HTTPRequestDeclaration where _Timeouts == HTTPTimeouts? {
    public static func _timeoutsAreUsed() {}
}

extension _HTTPRequestDeclaration where _MaximumResponseBytes == Int? {
    public static func _maximumResponseBytesAreUsed() {}
}

extension _HTTPRequestDeclaration where _Decoder == (any HTTPResponseDecoder)? {
    public static func _decoderIsUsed() {}
}

extension _HTTPRequestDeclaration where _Interceptors == [any HTTPInterceptor] {
    public static func _interceptorsAreUsed() {}
}

extension _HTTPRequestDeclaration where _Validation == Void {
    public static func _validateIsUsed() {}
}
