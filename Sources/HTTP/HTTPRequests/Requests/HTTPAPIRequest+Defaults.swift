// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials
public import HTTPTypes

// The default implementations of `HTTPAPIRequest`. Each has an unavailable twin for requests that declare the member
// with another type: see `_HTTPRequestMembers`.

extension HTTPAPIRequest where _Method == HTTPRequest.Method {
    public var method: HTTPRequest.Method { .get }
}

extension HTTPAPIRequest where _QueryItems == [HTTPQueryItem] {
    public var queryItems: [HTTPQueryItem] { [] }
}

extension HTTPAPIRequest where _QueryEncoding == HTTPQueryEncoding {
    public var queryEncoding: HTTPQueryEncoding { .rfc3986 }
}

extension HTTPAPIRequest where _HeaderFields == HTTPFields {
    public var headerFields: HTTPFields { HTTPFields() }
}

extension HTTPAPIRequest where Body == NoHTTPBody, _Body == NoHTTPBody {
    public var body: NoHTTPBody { NoHTTPBody() }
}

extension HTTPAPIRequest where _IsIdempotent == Bool {
    public var isIdempotent: Bool { method.isIdempotent }
}

extension HTTPAPIRequest where _Timeouts == HTTPTimeouts? {
    public var timeouts: HTTPTimeouts? { nil }
}

extension HTTPAPIRequest where _MaximumResponseBytes == Int? {
    public var maximumResponseBytes: Int? { nil }
}

extension HTTPAPIRequest where _Decoder == (any HTTPResponseDecoder)? {
    public var decoder: (any HTTPResponseDecoder)? { nil }
}

extension HTTPAPIRequest where _Interceptors == [any HTTPInterceptor] {
    public var interceptors: [any HTTPInterceptor] { [] }
}

extension HTTPAPIRequest where _Validation == Void {
    public func validate(_ head: HTTPResponse) throws {
        guard head.status.kind == .successful else { throw UnacceptableStatus(head.status) }
    }
}

// MARK: The responses and failures of each kind

extension HTTPAPIRequest where Response: Decodable {
    public func response(from content: HTTPResponseContent) async throws -> Response {
        try content.decoded(Response.self, from: try await content.bytes())
    }
}

extension HTTPAPIRequest where Response: HTTPAPIResponse {
    public func response(from content: HTTPResponseContent) async throws -> Response {
        try Response(data: Data(try await content.bytes()), urlResponse: content.head)
    }
}

extension HTTPAPIRequest where Response: HTTPAPIResponse & Decodable {
    public func response(from content: HTTPResponseContent) async throws -> Response {
        try Response(data: Data(try await content.bytes()), urlResponse: content.head)
    }
}

extension HTTPAPIRequest where Response == HTTPByteStream {
    // The return types here are not written as concrete types, because the compiler would infer `Response` from them.
    public func response(from content: HTTPResponseContent) async throws -> Response { content.body }
}

extension HTTPAPIRequest where Response == Void {
    /// Reads and discards the body, so that the connection can be used again.
    public func response(from content: HTTPResponseContent) async throws -> Response {
        await content.body.discard()
        return ()
    }
}

extension HTTPAPIRequest where Failure: Decodable {
    public func failure(from content: HTTPResponseContent) async throws -> Failure { try await content.decoded() }
}

extension HTTPAPIRequest where Failure: HTTPAPIResponse {
    public func failure(from content: HTTPResponseContent) async throws -> Failure {
        try Failure(data: Data(try await content.bytes()), urlResponse: content.head)
    }
}

extension HTTPAPIRequest where Failure: HTTPAPIResponse & Decodable {
    public func failure(from content: HTTPResponseContent) async throws -> Failure {
        try Failure(data: Data(try await content.bytes()), urlResponse: content.head)
    }
}

// MARK: Members of unsuitable types

extension HTTPAPIRequest {
    @available(*, unavailable, message: "'method' would not be used: its type must be 'HTTPRequest.Method'")
    public var method: HTTPRequest.Method { .get }

    @available(*, unavailable, message: "'queryItems' would not be sent: its type must be '[HTTPQueryItem]'")
    public var queryItems: [HTTPQueryItem] { [] }

    @available(*, unavailable, message: "'queryEncoding' would not be used: its type must be 'HTTPQueryEncoding'")
    public var queryEncoding: HTTPQueryEncoding { .rfc3986 }

    @available(*, unavailable, message: "'headerFields' would not be sent: its type must be 'HTTPFields'")
    public var headerFields: HTTPFields { HTTPFields() }

    @available(*, unavailable, message: "'isIdempotent' would not be used: its type must be 'Bool'")
    public var isIdempotent: Bool { false }

    @available(*, unavailable, message: "'timeouts' would not be used: its type must be 'HTTPTimeouts?'")
    public var timeouts: HTTPTimeouts? { nil }

    @available(*, unavailable, message: "'maximumResponseBytes' would not be used: its type must be 'Int?'")
    public var maximumResponseBytes: Int? { nil }

    @available(*, unavailable, message: "'decoder' would not be used: its type must be '(any HTTPResponseDecoder)?'")
    public var decoder: (any HTTPResponseDecoder)? { nil }

    @available(*, unavailable, message: "'interceptors' would not be used: its type must be '[any HTTPInterceptor]'")
    public var interceptors: [any HTTPInterceptor] { [] }

    @available(
        *, unavailable,
        message: "'validate(_:)' would not be called: it must return nothing, and throw an error to refuse the response"
    )
    public func validate(_ head: HTTPResponse) throws {}
}

extension HTTPAPIRequest where Body == NoHTTPBody {
    @available(
        *, unavailable,
        message: """
            'body' would not be sent: its type must conform to 'HTTPBody', such as 'JSONHTTPBody', and its getter must \
            neither be 'async' nor 'throws'
            """
    )
    public var body: NoHTTPBody { NoHTTPBody() }
}

/// The members of a request with the types that its declaration gives them. Do not conform to it directly.
///
/// A property `headerFields` of an unsuitable type does not satisfy `HTTPAPIRequest.headerFields`. Without this
/// protocol, the default implementation would be used, and the request would be sent without the fields. This protocol
/// requires the property with any type, so ``_HeaderFields`` is its type. The default implementation of
/// `HTTPAPIRequest.headerFields` exists twice: one for the suitable type, and an unavailable one for all other types.
/// The compiler shows the message of the unavailable one at the declaration of the request.
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
