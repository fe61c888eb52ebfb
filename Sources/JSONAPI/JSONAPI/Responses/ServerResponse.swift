// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
public import HTTPTypes

/// A response with an uninterpreted document.
public struct ServerResponse: Sendable {
    /// The outcome of a successful request.
    public enum Outcome: Sendable, Hashable {
        /// The request succeeded.
        case ok
        /// The status 201: the resource was created. `Location` is a URL reference, which can be relative.
        case created(location: String?)
        /// The status 202: the server will process the request later. It reports the progress at the URL reference
        /// `Content-Location`, which can be requested after `Retry-After`.
        case accepted(contentLocation: String?, retryAfter: Duration?)
        /// The status 204: the request succeeded, and the resource is as it was sent.
        case noContent
        /// No request was sent, because there was nothing to update.
        case unchanged
    }

    /// The status. It is 204 if no request was sent.
    public let status: HTTPResponse.Status
    /// The header fields. There are none if no request was sent, or if the client does not report them.
    public let headerFields: HTTPFields
    /// The body as it was received, or its beginning if it is the body of a failure and exceeds the limit.
    public let body: [UInt8]
    /// The URL of the response, after redirects, if the client reports it.
    public let url: String?
    /// The outcome, if the status is one of success.
    public let outcome: Outcome
    /// The document, or `nil` if the body is not one. It is made at the first use, in time proportional to its length.
    public var document: RawDocument? { received?.raw }
    var received: ReceivedDocument?

    init(_ response: RawResponse) {
        let head = response.head
        status = head?.status ?? .ok
        headerFields = head?.headerFields ?? HTTPFields()
        body = response.body ?? []
        url = response.url
        switch status.code {
        case 201: outcome = .created(location: headerFields[values: .location].first)
        case 202:
            outcome = .accepted(
                contentLocation: headerFields[values: .contentLocation].first, retryAfter: headerFields.retryDelay())
        case 204: outcome = .noContent
        default: outcome = .ok
        }
    }

    /// Creates the response to an update without changes, which is not sent.
    init() {
        status = .noContent
        headerFields = HTTPFields()
        body = []
        url = nil
        outcome = .unchanged
    }

    /// The media type with the applied extensions and profiles, or `nil` if it is not that of JSON:API.
    public var mediaType: JSONAPIMediaType? { headerFields[.contentType].flatMap { JSONAPIMediaType(contentType: $0) } }

    /// Returns a request that follows a link of this response as the server gave it, or `nil` if there is no link.
    ///
    /// Links are resolved against the URL of the response (RFC 3986 §5). Requests for links to other origins fail.
    public func request(following link: JSONAPILink?) -> JSONAPIRequest? {
        link?.href.map { JSONAPIRequest(.link($0, relativeTo: url)) }
    }

    /// Returns a request for another page of a collection. This is the response to `request`, which asked for a page.
    func request(following link: JSONAPILink?, after request: JSONAPIRequest) -> JSONAPIRequest? {
        guard var next = self.request(following: link) else { return nil }
        next.userInfo = request.userInfo
        next.extensions = request.extensions
        next.profiles = request.profiles
        return next
    }

    /// Returns the absolute URL of a link. It is `nil` if the link is absent or `null`, if it is relative and the URL
    /// of the response is unknown, or if the result is not an HTTP URL.
    public func url(of link: JSONAPILink?) -> String? {
        let base = url.flatMap { HTTPRequest(reference: $0) }
        return (link?.href).flatMap { HTTPRequest(reference: $0, against: base) }?.url
    }
}
