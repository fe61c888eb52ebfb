// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// Follows redirects (RFC 9110 §15.4) with the statuses 301, 302, 303, 307 and 308.
///
/// - 303 changes the method to `GET`, and so do 301 and 302 for a `POST`. The body and the fields that describe it are
///   then left out. `HEAD` is kept. 307 and 308 keep the method and the body.
/// - If the origin changes, the fields with secrets (``HTTPRedaction/standard``: `Authorization`, `Cookie`, `X-API-Key`
///   and more) and ``removedFields`` are removed for the rest of the redirects.
/// - A redirect is not followed if its `Location` is missing or malformed, such as a port above 65535, or if the body
///   cannot be sent again. The request then fails with the status of the redirect.
///
/// A session follows redirects by default: see ``HTTPSessionConfiguration/redirects``.
public struct RedirectInterceptor: HTTPInterceptor {
    /// The largest number of redirects of one request. The default is 10.
    public var limit = 10
    /// Whether redirects from `https` to `http` are followed. The default is `false`.
    public var allowsInsecureRedirects = false
    /// Further fields with secrets, which are removed if the origin changes. The default is none.
    public var removedFields: [HTTPField.Name] = []

    public init() {}

    public func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> ReceivedHTTPResponse {
        let response = try await next(request, body: body, context: context)
        return try await follow(response, of: request, body: body, context: context, next: next)
    }

    static func isRedirect(_ status: HTTPResponse.Status) -> Bool {
        switch status.code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Follows redirects, beginning with the response to a request. Returns the first response that is not followed.
    func follow(
        _ response: ReceivedHTTPResponse, of request: HTTPRequest, body: HTTPBodyEntity?,
        context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> ReceivedHTTPResponse {
        var (response, request, body, context) = (response, request, body, context)
        var visited: Set<Visit> = []
        while let target = target(of: response.head, from: request, hasFixedBody: body?.isReplayable == false) {
            func refuse(_ reason: HTTPRedirectError.Reason) -> HTTPRedirectError {
                HTTPRedirectError(reason: reason, head: response.head, location: HTTPRedaction.standard.url(of: target))
            }
            if request.scheme?.lowercased() == "https", target.scheme == "http", !allowsInsecureRedirects {
                throw refuse(.insecure)
            }
            if visited.isEmpty { visited.insert(Visit(request)) }
            guard visited.count <= limit else { throw refuse(.tooMany(limit: limit)) }
            guard visited.insert(Visit(target)).inserted else { throw refuse(.cycle) }
            await response.body.discard()
            if target.method != request.method {
                body = nil
                context.isIdempotent = target.method.isIdempotent
            }
            request = target
            response = try await next(request, body: body, context: context)
        }
        return response
    }

    /// Returns the request that a response redirects to; `nil` if it is not followed.
    private func target(of head: HTTPResponse, from request: HTTPRequest, hasFixedBody: Bool) -> HTTPRequest? {
        guard Self.isRedirect(head.status) else { return nil }
        let method: HTTPRequest.Method =
            switch head.status.code {
            case 301, 302: request.method == .post ? .get : request.method
            case 303: request.method == .head ? .head : .get
            default: request.method
            }
        let keepsBody = method == request.method
        guard !(keepsBody && hasFixedBody), let location = head.headerFields[values: .location].first,
            var target = URLReference(location).resolved(against: request),
            target.scheme == "http" || target.scheme == "https"
        else { return nil }
        target.method = method
        if !keepsBody {
            for name in Self.contentFields { target.headerFields[name] = nil }
        }
        if URLOrigin(target) != URLOrigin(request) {
            for name in Array(HTTPRedaction.standard.fieldNames) + removedFields {
                target.headerFields[name] = nil
            }
        }
        return target
    }

    private static let contentFields: [HTTPField.Name] = [
        .contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation, .transferEncoding,
    ]

    /// A request that a chain of redirects has made.
    private struct Visit: Hashable {
        let method: HTTPRequest.Method
        let origin: URLOrigin
        let path: String?

        init(_ request: HTTPRequest) {
            method = request.method
            origin = URLOrigin(request)
            path = request.path
        }
    }
}

/// A redirect that is not followed.
public struct HTTPRedirectError: Error, Sendable {
    /// The kind of a fault.
    public enum Reason: Sendable, Hashable {
        /// The request was redirected more often than ``RedirectInterceptor/limit`` allows.
        case tooMany(limit: Int)
        /// The redirects lead back to a request that was made before.
        case cycle
        /// The redirect leads from `https` to `http`.
        case insecure
    }

    /// The fault.
    public let reason: Reason
    /// The head of the response that redirects.
    public let head: HTTPResponse
    /// The URL that it redirects to, without secrets.
    public let location: String
}

extension HTTPRedirectError: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .tooMany(let limit): "The redirect to \(location) exceeds the limit of \(limit) redirects."
        case .cycle: "The redirect to \(location) leads back to a request that was made before."
        case .insecure:
            "The redirect to \(location) leads from https to http. Set `allowsInsecureRedirects` to follow it."
        }
    }
}
