// swift-jsonrpc · SPDX-License-Identifier: MIT

public import FoundationEssentials
public import HTTPTypes

/// A request to an HTTP API that knows the type of its response.
///
/// ```swift
/// struct GetRepository: HTTPAPIRequest {
///     typealias Response = Repository
///     let owner: String, name: String
///     var baseURL: URL { exampleAPI }
///     var path: String { "/repos/\(segment: owner)/\(segment: name)" }
/// }
/// ```
///
/// ```swift
/// let repository = try await session.send(GetRepository(owner: "a", name: "b"))
/// ```
///
/// A ``Response`` is a `Decodable` type, `Data`, `[UInt8]`, `String`, `Void`, an ``HTTPByteStream``, an
/// ``HTTPAPIResponse``, or an `Optional` of these, which is `nil` if the response has no body. Every other type needs
/// an implementation of ``response(from:)``.
///
/// The compiler rejects members that would have no effect, such as a property `headerFields` that is a dictionary, and
/// the members of APIKit's requests that have another name here.
public protocol HTTPAPIRequest<Response>: Sendable, _HTTPRequestMembers, _APIKitMembers {
    /// The value that a successful request returns.
    associatedtype Response: Sendable
    /// The type of the content. The default is ``NoHTTPBody``. If it is an `Optional`, `nil` sends no content.
    associatedtype Body: HTTPBody = NoHTTPBody
    /// The type of the body of an error response, such as a `Decodable` error object. The default is `[UInt8]`, the
    /// unread bytes.
    associatedtype Failure: Sendable = [UInt8]

    /// The URL of the API. Its path and its query are kept, see ``RequestURL``.
    var baseURL: URL { get }
    /// The path below ``baseURL``, percent-encoded. An empty path requests ``baseURL`` itself.
    var path: String { get }
    /// The method. The default is `GET`.
    var method: HTTPRequest.Method { get }
    /// The query, not yet encoded. The default is no query.
    var queryItems: [HTTPQueryItem] { get }
    /// The encoding of ``queryItems``. The default is ``HTTPQueryEncoding/rfc3986``.
    var queryEncoding: HTTPQueryEncoding { get }
    /// The header fields. The default is none.
    ///
    /// These fields replace fields of the same name that the session would send: `Accept`, which depends on the type of
    /// the response, `Content-Type`, which depends on the body, and those of the session's configuration.
    var headerFields: HTTPFields { get }
    /// The content (RFC 9110 §6.4).
    var body: Body { get }
    /// Whether the request may be sent again although the server may have processed it (RFC 9110 §9.2.2). The default
    /// is `true` for `GET`, `HEAD`, `OPTIONS`, `TRACE`, `PUT` and `DELETE`.
    var isIdempotent: Bool { get }
    /// The time limits. The default is `nil`, which means those of the session.
    var timeouts: HTTPTimeouts? { get }
    /// The largest body of a response that is read into memory, in bytes. The default is `nil`, which means the limit
    /// of the session.
    var maximumResponseBytes: Int? { get }
    /// The decoder of `Decodable` responses and failures. The default is `nil`, which means that of the session.
    var decoder: (any HTTPResponseDecoder)? { get }
    /// Interceptors of this request, outermost first. They are inside those of the session. The default is none.
    var interceptors: [any HTTPInterceptor] { get }

    /// Changes the head before it is sent, for example to sign it. It runs once for each request, before all
    /// interceptors. The default does nothing.
    ///
    /// - Throws: An error, with which the request fails as ``HTTPRequestError/request(_:)``.
    func intercept(_ request: inout HTTPRequest) async throws

    /// Checks the head of the response before its body is read. The default accepts the statuses from 200 to 299.
    ///
    /// - Throws: An ``UnacceptableStatus``, with which the request fails as ``HTTPRequestError/status(_:)``; any other
    ///   error, with which it fails as ``HTTPRequestError/response(_:)``.
    func validate(_ head: HTTPResponse) async throws

    /// Makes the response. The default implementations cover the types that ``HTTPAPIRequest`` lists.
    ///
    /// - Throws: An error, with which the request fails as ``HTTPRequestError/response(_:)``.
    func response(from content: HTTPResponseContent) async throws -> Response

    /// Makes the failure from the body of an error response. The default implementations cover `Decodable` types, and
    /// those that conform to ``HTTPAPIResponse``.
    ///
    /// If it throws, the request still fails as ``HTTPRequestError/status(_:)``, without a failure.
    func failure(from content: HTTPResponseContent) async throws -> Failure

    // The implementations are unavailable for requests that declare these members of APIKit's requests.
    static var _parameters: Void { get }
    static var _queryParameters: Void { get }
    static var _bodyParameters: Void { get }
    static var _dataParser: Void { get }
    static var _interceptURLRequest: Void { get }
    static var _interceptObject: Void { get }
    static var _responseFromObject: Void { get }
}

/// The error for a status that a request does not accept. ``HTTPAPIRequest/validate(_:)`` throws it.
public struct UnacceptableStatus: Error, Hashable, CustomStringConvertible {
    /// The status that was refused.
    public var status: HTTPResponse.Status

    public init(_ status: HTTPResponse.Status) { self.status = status }

    public var description: String { "The server answered with the status \(status.text)." }
}

extension HTTPAPIRequest {
    public func intercept(_ request: inout HTTPRequest) async throws {}
}

extension HTTPRequest.Method {
    /// Whether several identical requests with the method have the effect of one (RFC 9110 §9.2.2).
    package var isIdempotent: Bool {
        switch self {
        case .get, .head, .options, .trace, .put, .delete: true
        default: false
        }
    }
}
