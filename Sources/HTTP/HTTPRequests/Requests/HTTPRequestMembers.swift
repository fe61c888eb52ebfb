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
}
