// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import HTTPRequests
import HTTPTypes

/// One request of a ``JSONAPIClient`` for its session.
struct DocumentExchange: HTTPAPIRequest {
    typealias Response = RawResponse

    let baseURL: URL
    let path: String
    let method: HTTPRequest.Method
    let queryItems: [HTTPQueryItem]
    let queryEncoding = JSONAPIQuery.encoding
    let headerFields: HTTPFields
    let body: DataHTTPBody?
    let isIdempotent: Bool
    /// The scheme, the authority and the path of a link, which replace those of the base URL.
    private let link: HTTPRequest?

    init(
        _ request: JSONAPIRequest, of client: JSONAPIClient, type: JSONAPIMediaType,
        accepting accepted: [JSONAPIMediaType]
    ) throws(JSONAPIError) {
        let options = client.options
        baseURL = client.baseURL
        queryItems = request.query.items
        isIdempotent = request.isIdempotent ?? [.get, .head, .delete, .put].contains(request.method)
        body = request.body.map { DataHTTPBody($0.bytes, contentType: type.description) }
        var fields = options.headerFields
        fields[.accept] = JSONAPIMediaType.accept(accepted)
        if options.overriddenMethods.contains(request.method) {
            method = .post
            if let name = HTTPField.Name("X-HTTP-Method-Override") { fields[name] = request.method.rawValue }
        } else {
            method = request.method
        }
        headerFields = fields
        (path, link) = try Self.destination(of: request, client)
    }

    /// The path below the base URL, or else the head of a request for a link.
    private static func destination(
        of request: JSONAPIRequest, _ client: JSONAPIClient
    ) throws(JSONAPIError) -> (path: String, link: HTTPRequest?) {
        switch request.target {
        case .path(let path): return (path, nil)
        case .link(let reference, let base):
            let own = HTTPRequest(url: client.baseURL.absoluteString)
            let trusted = client.options.trustedOrigins.compactMap { HTTPRequest(url: $0.absoluteString) } + [own]
            do {
                // A response of another origin, after a redirect, makes no origin trusted.
                let link = try JSONAPIRequest.Target.resolve(
                    reference, against: base.flatMap { HTTPRequest(url: $0) } ?? own,
                    trusted: Set(trusted.compactMap { $0.map(URLOrigin.init) }), trustsBase: false)
                return ("", link)
            } catch {
                guard let path = request.fallbackPath else { throw error }
                return (path, nil)
            }
        }
    }

    func intercept(_ request: inout HTTPRequest) {
        guard let link else { return }
        request.scheme = link.scheme
        request.authority = link.authority
        let query = JSONAPIQuery.encoding.encode(queryItems)
        let path = link.path ?? "/"
        request.path = query.isEmpty ? path : path + (path.contains("?") ? "&" : "?") + query
    }

    func validate(_ head: HTTPResponse) {}

    func response(from content: HTTPResponseContent) async throws -> RawResponse {
        let url = content.request?.url
        do {
            return RawResponse(head: content.head, body: try await content.bytes(), url: url)
        } catch HTTPByteStreamError.tooLarge(_, let beginning) where content.head.status.kind != .successful {
            // The status says more than the end of the body.
            return RawResponse(head: content.head, body: beginning, url: url)
        } catch let error as HTTPTransportError
            where content.head.status.kind != .successful && error.code != .timedOut
        {
            return RawResponse(head: content.head, body: nil, url: url)
        }
    }
}
