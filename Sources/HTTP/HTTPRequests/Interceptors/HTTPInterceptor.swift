// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPTypes

/// An interceptor of requests. It can log, measure, retry, change fields, or answer from a cache.
///
/// ```swift
/// struct TraceField: HTTPInterceptor {
///     let traceID: String
///
///     func intercept(
///         _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
///     ) async throws -> ReceivedHTTPResponse {
///         var request = request
///         request.headerFields[.traceparent] = traceID
///         return try await next(request, body: body, context: context)
///     }
/// }
/// ```
///
/// The order is: the interceptors of the session, outermost first; those of the request; the session's
/// ``RedirectInterceptor``; the transport. The time limits for the first byte and between pieces apply inside all
/// interceptors, so an interceptor sees each exceeded limit as an ``HTTPTransportError``.
public protocol HTTPInterceptor: Sendable {
    /// Sends a request by calling `next` once, several times, or not at all.
    ///
    /// - Parameters:
    ///   - request: The head.
    ///   - body: The content; `nil` if the request has none.
    ///   - context: The number of the attempt, the time limits, and more.
    ///   - next: The next interceptor, or the transport.
    /// - Returns: The response. An interceptor that reads the body must set a new one. It keeps the head and the facts.
    /// - Throws: The error of the request. The session keeps it as ``HTTPExchangeFailure/underlying``.
    func intercept(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext, next: NextHTTPInterceptor
    ) async throws -> ReceivedHTTPResponse
}

/// The next interceptor of a request, or the transport after the last interceptor. It is called like a function.
///
/// It is a type and not a closure, because async closures differ in modules with and without the upcoming feature
/// `NonisolatedNonsendingByDefault`.
public struct NextHTTPInterceptor: Sendable {
    private let send: @Sendable (HTTPRequest, HTTPBodyEntity?, HTTPRequestContext) async throws -> ReceivedHTTPResponse

    /// Makes a next interceptor from a closure, for tests of an interceptor.
    public init(
        _ send:
            @escaping @Sendable (HTTPRequest, HTTPBodyEntity?, HTTPRequestContext) async throws -> ReceivedHTTPResponse
    ) {
        self.send = send
    }

    /// Passes the request on, and returns the response.
    public func callAsFunction(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse {
        try await send(request, body, context)
    }

    /// Returns a chain that passes a request through an interceptor, and then to this one.
    func behind(_ interceptor: some HTTPInterceptor) -> Self {
        Self { try await interceptor.intercept($0, body: $1, context: $2, next: self) }
    }
}
