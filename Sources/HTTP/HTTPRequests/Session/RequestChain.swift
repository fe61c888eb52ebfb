// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes

/// The interceptors of a request, and the transport behind them.
struct RequestChain: Sendable {
    /// The interceptors of the session and of the request, outermost first.
    let interceptors: [any HTTPInterceptor]
    /// The innermost interceptor; `nil` if redirects are not followed.
    let redirects: RedirectInterceptor?
    let end: TransportEnd

    /// Passes a request through the interceptors to the transport.
    func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> (HTTPResponse, HTTPByteStream) {
        if interceptors.isEmpty {
            // Most requests have no interceptors, and most responses are no redirects. They need no closures.
            let (head, stream) = try await end.send(request, body: body, context: context)
            guard let redirects, RedirectInterceptor.isRedirect(head.status) else { return (head, stream) }
            return try await redirects.follow((head, stream), of: request, body: body, context: context, next: last)
        }
        var next = last
        if let redirects { next = next.behind(redirects) }
        for interceptor in interceptors.reversed() { next = next.behind(interceptor) }
        return try await next(request, body: body, context: context)
    }

    /// The transport, as interceptors and redirects see it. They can change the request, so the one that is sent is noted.
    private var last: NextHTTPInterceptor {
        NextHTTPInterceptor { [end] request, body, context in
            end.operation.noteRequest(request)
            return try await end.send(request, body: body, context: context)
        }
    }
}
