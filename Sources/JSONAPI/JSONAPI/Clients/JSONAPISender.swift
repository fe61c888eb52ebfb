// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// Sends requests of JSON:API over HTTP.
///
/// ``JSONAPIClient`` is the client that this module provides. A client of your own implements ``execute(_:)``:
///
/// ```swift
/// struct AccountClient: JSONAPISender {
///     let transport: any AccountTransport
///
///     func execute(_ request: JSONAPIRequest) async throws -> RawResponse {
///         let reply = try await transport.send(
///             request.method.rawValue, request.plainPath(), JSONAPIQuery.encoding.encode(request.query.items),
///             request.body?.bytes, request.userInfo["account"])
///         guard reply.isSuccess else { throw JSONAPIClientError.failure(nil, reply.body) }
///         return RawResponse(body: reply.body)
///     }
/// }
/// ```
///
/// A client is thread-safe. It ends a request soon when its task is cancelled.
public protocol JSONAPISender: Sendable {
    /// Sends a request, and returns its response whatever its status is.
    ///
    /// A request with a document needs `Content-Type: application/vnd.api+json`, and every request needs the same in
    /// `Accept`, with ``JSONAPIRequest/extensions`` and ``JSONAPIRequest/profiles`` as parameters. A client that
    /// supports neither these nor links uses ``JSONAPIRequest/plainPath()``.
    /// ``JSONAPIRequest/plainPath()`` is the path for clients that know nothing of these and of links.
    ///
    /// - Throws: A ``JSONAPIError``, a ``JSONAPIClientError``, a `CancellationError`, or any other error.
    func execute(_ request: JSONAPIRequest) async throws -> RawResponse

    /// The rules for reading responses. The default is those of ``ResponseOptions/init()``.
    var responseOptions: ResponseOptions { get }
}

extension JSONAPISender {
    public var responseOptions: ResponseOptions { ResponseOptions() }
}

/// A response that a ``JSONAPISender`` has received.
public struct RawResponse: Sendable {
    /// The status and the header fields. `nil` stands for the status 200 and the media type of JSON:API.
    public var head: HTTPResponse?
    /// The body. An empty body counts as none.
    public var body: [UInt8]?
    /// The URL of the resource, after redirects. Links, such as that of the next page, are resolved against it.
    public var url: String?

    public init(head: HTTPResponse? = nil, body: [UInt8]? = nil, url: String? = nil) {
        self.head = head
        self.body = body
        self.url = url
    }
}

/// The failure of a request in a ``JSONAPISender``.
public enum JSONAPIClientError: Error, Sendable {
    /// The request failed with an error, with the body and the head that the server sent, or with both.
    ///
    /// With a head, the request fails with the ``JSONAPIError/Code`` of the status, as with a returned response.
    case failure(_ error: (any Error)?, _ body: [UInt8]?, head: HTTPResponse? = nil)
}

/// The rules for reading responses.
public struct ResponseOptions: Sendable, Hashable {
    /// Whether documents with another `Content-Type` than that of JSON:API are read. The default is `false`. Documents
    /// of failed requests are always read.
    public var acceptsOtherMediaTypes = false
    /// The URIs of the extensions that a response may apply, besides those of its request. The default is none.
    public var acceptedExtensions: [String] = []
    /// The rules for reading documents.
    public var document = DocumentOptions()

    public init() {}
}
