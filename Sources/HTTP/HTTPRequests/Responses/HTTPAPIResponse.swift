// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials
public import HTTPTypes
public import WireJSON

/// A response that is made from the bytes of a body.
///
/// Conform to it for formats that no decoder reads. A type that is `Decodable` needs no conformance.
public protocol HTTPAPIResponse: Sendable {
    /// The value of the `Accept` field; `nil` for none. The default is `nil`.
    static var accept: String? { get }

    /// Makes the response.
    ///
    /// - Parameters:
    ///   - data: The whole body, at most as large as the limit of the request.
    ///   - urlResponse: The head of the response.
    /// - Throws: An error, with which the request fails as ``HTTPRequestError/response(_:)``.
    init(data: Data, urlResponse: HTTPResponse) throws
}

extension HTTPAPIResponse {
    public static var accept: String? { nil }
}

/// A response that is made from a JSON value.
///
/// The compiler rejects the member `readingOptions` of APIKit 4, because it would have no effect.
public protocol JSONResponse: HTTPAPIResponse {
    /// The type of a member `readingOptions`.
    associatedtype _ReadingOptions = _AbsentMember

    /// The limits of the parser. The default is `JSONLimits()`.
    static var limits: JSONLimits { get }

    /// Makes the response.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - urlResponse: The head of the response.
    init(json: JSONValue, urlResponse: HTTPResponse) throws

    @available(*, deprecated, message: "a response has no such member")
    static var readingOptions: _ReadingOptions { get }
    /// The implementation is unavailable for responses with `readingOptions`.
    static var _readingOptions: Void { get }
}

extension JSONResponse {
    public static var accept: String? { "application/json" }
    public static var limits: JSONLimits { JSONLimits() }

    /// Parses the body.
    ///
    /// - Throws: A `JSONSyntaxError` if the body is not JSON; the error of ``init(json:urlResponse:)``.
    public init(data: Data, urlResponse: HTTPResponse) throws {
        try self.init(json: JSONValue(parsing: [UInt8](data), limits: Self.limits), urlResponse: urlResponse)
    }
}

extension JSONResponse {
    @available(
        *, unavailable,
        message: "'readingOptions' would not be used: any JSON value is read. Use 'limits' to bound depth and size"
    )
    public static var _readingOptions: Void { () }
}

extension JSONResponse where _ReadingOptions == _AbsentMember {
    @_disfavoredOverload
    @available(*, deprecated, message: "a response has no such member")
    public static var readingOptions: _ReadingOptions { _AbsentMember() }

    public static var _readingOptions: Void { () }
}

/// A response that may be absent: `nil` for the statuses 204, 205 and 304, and for an empty body.
extension Optional: HTTPAPIResponse where Wrapped: HTTPAPIResponse {
    public static var accept: String? { Wrapped.accept }

    public init(data: Data, urlResponse: HTTPResponse) throws {
        self =
            data.isEmpty || urlResponse.status.isWithoutContent
            ? nil : try Wrapped(data: data, urlResponse: urlResponse)
    }
}

extension HTTPResponse.Status {
    /// Whether responses with the status have no content (RFC 9110 §15.3.5, §15.3.6, §15.4.5).
    var isWithoutContent: Bool { [204, 205, 304].contains(code) }
}
