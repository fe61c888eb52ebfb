// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

// The default implementations of `HTTPAPIRequest`. Each exists a second time, as an unavailable one for requests that
// declare the member with another type: see `_HTTPRequestMembers`.

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

// MARK: Members of APIKit's requests

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

extension HTTPAPIRequest where _BodyParameters == _AbsentMember {
    public static var _bodyParameters: Void { () }
}

extension HTTPAPIRequest where _DataParser == _AbsentMember {
    public static var _dataParser: Void { () }
}

extension HTTPAPIRequest where _URLRequest == _AbsentMember {
    public static var _interceptURLRequest: Void { () }
}

extension HTTPAPIRequest where _InterceptedURLResponse == _AbsentMember {
    public static var _interceptObject: Void { () }
}

extension HTTPAPIRequest where _ParsedURLResponse == _AbsentMember {
    public static var _responseFromObject: Void { () }
}
