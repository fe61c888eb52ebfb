// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
public import HTTPTypes

/// A JSON:API request with an uninterpreted document.
///
/// ```swift
/// let request = JSONAPIRequest(path: "/articles").include(["author"]).sort([.descending("created")])
/// let response = try await client.send(request)
/// let articles = response.document?.data?.resources ?? []
/// ```
public struct JSONAPIRequest: Sendable {
    /// Values that a program attaches to a request for its client, such as an account.
    public typealias UserInfo = [String: any Sendable]

    /// The target of a request.
    public enum Target: Sendable, Hashable {
        /// A path below the base URL of the API, percent-encoded. A slash at its beginning makes no difference.
        case path(String)
        /// A link of the server (RFC 3986 §4.1), and the URL of the response that it comes from, if that is known.
        case link(String, relativeTo: String?)
    }

    /// The target of the request.
    public var target: Target
    /// The path below the base URL to use if a link is not followed, because it leads to another origin or because the
    /// client does not support links. If it is `nil`, the default, the request fails.
    public var fallbackPath: String?
    /// The method. The default is `GET`.
    public var method: HTTPRequest.Method
    /// The query. It is appended to that of a link.
    public var query: JSONAPIQuery
    /// The document to send, or `nil` for none.
    public var body: RawDocument?
    /// Values for the client.
    public var userInfo: JSONAPIRequest.UserInfo = [:]
    /// The URIs of the extensions that the request applies. The response may apply them, too.
    public var extensions: [String] = []
    /// The URIs of the profiles that the request applies.
    public var profiles: [String] = []
    /// Whether the request may be sent again although the server may have processed it. By default, the method decides.
    public var isIdempotent: Bool?
    /// The reason why the request cannot be sent, such as an absent id. ``JSONAPISender/send(_:)`` throws it.
    public internal(set) var fault: JSONAPIError?

    public init(
        _ target: Target, method: HTTPRequest.Method = .get, query: JSONAPIQuery = JSONAPIQuery(),
        body: RawDocument? = nil
    ) {
        self.target = target
        self.method = method
        self.query = query
        self.body = body
    }

    /// Creates a request for a path below the base URL of the API.
    public init(
        path: String, method: HTTPRequest.Method = .get, query: JSONAPIQuery = JSONAPIQuery(), body: RawDocument? = nil
    ) {
        self.init(.path(path), method: method, query: query, body: body)
    }
}

extension JSONAPIRequest: CollectionQuerying {
    public var request: JSONAPIRequest {
        get { self }
        set { self = newValue }
    }

    /// Returns the path for a ``JSONAPISender`` that supports only paths and the plain media type.
    ///
    /// It is ``fallbackPath``, or the path below the base URL of the API, percent-encoded. Other links are resolved
    /// against ``RawResponse/url``: the result is an absolute URL with the query of the link.
    ///
    /// - Throws: A ``JSONAPIError`` for a link to another origin, or of a response whose URL is unknown; and for a
    ///   request that applies extensions, because the path and the document do not say which ones.
    public func plainPath() throws(JSONAPIError) -> String {
        guard extensions.isEmpty else {
            throw JSONAPIError(
                .request, "The client cannot apply extensions. Send `JSONAPIRequest.extensions` with the media type.")
        }
        switch (fallbackPath, target) {
        case (let path?, _), (nil, .path(let path)): return path
        case (nil, .link(let reference, nil)):
            let message = """
                The link \(Target.shown(reference)) cannot be followed, because the URL of its response is unknown. \
                Set `RawResponse.url`.
                """
            throw JSONAPIError(.link, message)
        case (nil, .link(let reference, let base?)):
            return try Target.resolve(reference, against: HTTPRequest(reference: base)).url
        }
    }
}

extension JSONAPIRequest.Target {
    /// Returns the head of a request for a link. It throws if the link is not an HTTP URL, or has an origin that is
    /// neither trusted nor, if `trustsBase` is `true`, that of `base`.
    static func resolve(
        _ reference: String, against base: HTTPRequest?, trusted: Set<URLOrigin> = [],
        trustsBase: Bool = true
    ) throws(JSONAPIError) -> HTTPRequest {
        guard let base, let target = HTTPRequest(reference: reference, against: base) else {
            throw JSONAPIError(.link, "The link \(shown(reference)) is not a URL of HTTP.")
        }
        let origin = URLOrigin(target)
        guard (trustsBase && origin == URLOrigin(base)) || trusted.contains(origin) else {
            throw JSONAPIError(
                .link,
                "The link \(shown(reference)) leads to another origin, to which no credentials are sent. Add the origin "
                    + "to `JSONAPIClient.Options.trustedOrigins` to follow it.")
        }
        return target
    }

    fileprivate static func shown(_ reference: String) -> String {
        // A query can hold secrets.
        "`\(String(reference.prefix { $0 != "?" }.unicodeScalars.prefix(200)))`"
    }
}

extension HTTPRequest {
    /// Creates the head of a `GET` request for a reference (RFC 3986 §5); `nil` if it does not lead to an HTTP URL.
    ///
    /// - Parameter base: The request that a relative reference is resolved against, or `nil` for none.
    init?(reference: String, against base: HTTPRequest? = nil) {
        let base = base ?? HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        guard let target = URLReference(reference).resolved(against: base), ["http", "https"].contains(target.scheme)
        else { return nil }
        self = target
    }

    var url: String { "\(scheme ?? "")://\(authority ?? "")\(path ?? "")" }
}
