// swift-jsonrpc · SPDX-License-Identifier: MIT

// The implementations of `_HTTPRequestDeclaration` for members that a request would not use.

extension _HTTPRequestDeclaration {
    @available(*, unavailable, message: "'method' would not be used: its type must be 'HTTPRequest.Method'")
    public static func _methodIsUsed() {}

    @available(*, unavailable, message: "'queryItems' would not be sent: its type must be '[HTTPQueryItem]'")
    public static func _queryItemsAreUsed() {}

    @available(*, unavailable, message: "'queryEncoding' would not be used: its type must be 'HTTPQueryEncoding'")
    public static func _queryEncodingIsUsed() {}

    @available(*, unavailable, message: "'headerFields' would not be sent: its type must be 'HTTPFields'")
    public static func _headerFieldsAreUsed() {}

    @available(
        *, unavailable,
        message: """
            'body' would not be sent: its type must conform to 'HTTPBody', such as 'JSONHTTPBody', and its getter must \
            neither be 'async' nor 'throws'
            """
    )
    public static func _bodyIsUsed() {}

    @available(*, unavailable, message: "'isIdempotent' would not be used: its type must be 'Bool'")
    public static func _isIdempotentIsUsed() {}

    @available(*, unavailable, message: "'timeouts' would not be used: its type must be 'HTTPTimeouts?'")
    public static func _timeoutsAreUsed() {}

    @available(*, unavailable, message: "'maximumResponseBytes' would not be used: its type must be 'Int?'")
    public static func _maximumResponseBytesAreUsed() {}

    @available(
        *, unavailable, message: "'decoder' would not be used: its type must be '(any HTTPResponseDecoder)?'"
    )
    public static func _decoderIsUsed() {}

    @available(
        *, unavailable, message: "'interceptors' would not be used: its type must be '[any HTTPInterceptor]'"
    )
    public static func _interceptorsAreUsed() {}

    @available(
        *, unavailable,
        message: "'validate(_:)' would not be called: it must return nothing, and throw an error to refuse the response"
    )
    public static func _validateIsUsed() {}
}

// MARK: Members of APIKit's requests

extension _HTTPRequestDeclaration where _Parameters == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var parameters: _Parameters { _AbsentMember() }
}

extension _HTTPRequestDeclaration where _QueryParameters == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public var queryParameters: _QueryParameters { _AbsentMember() }
}

extension _HTTPRequestDeclaration where _URLRequest == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a request has no such member")
    public func intercept(urlRequest: _URLRequest) throws -> _URLRequest { urlRequest }

    public static func _interceptURLRequestIsUsed() {}
}

extension _HTTPRequestDeclaration {
    public static func _parametersAreUsed() {}
    public static func _queryParametersAreUsed() {}

    @available(
        *, unavailable,
        message:
            "APIKit's 'intercept(urlRequest:)' would not be called: implement 'intercept(_:)', with an 'inout' head"
    )
    public static func _interceptURLRequestIsUsed() {}
}

extension _HTTPRequestDeclaration where _Parameters == Any? {
    @available(
        *, unavailable,
        message: "APIKit's 'parameters' would not be sent: use 'queryItems', or a 'body' such as 'JSONHTTPBody'"
    )
    public static func _parametersAreUsed() {}
}

extension _HTTPRequestDeclaration where _QueryParameters == [String: Any]? {
    @available(*, unavailable, message: "APIKit's 'queryParameters' would not be sent: use 'queryItems'")
    public static func _queryParametersAreUsed() {}
}
