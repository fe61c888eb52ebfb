// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes

/// The interceptors of a request and the transport behind them. It enforces the time limits of each exchange.
struct RequestChain: Sendable {
    /// The interceptors of the session and of the request, outermost first.
    let interceptors: [any HTTPInterceptor]
    /// The innermost interceptor; `nil` if redirects are not followed.
    let redirects: RedirectInterceptor?
    let transport: any HTTPTransport
    let keeper: TimeKeeper
    /// The operation of the request, to which the total limit applies.
    let operation: LimitedOperation

    func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse {
        if interceptors.isEmpty {
            // Most requests have no interceptors, and most responses do not redirect. They need no closures.
            let response = try await exchange(request, body, context)
            guard let redirects, RedirectInterceptor.isRedirect(response.head.status) else { return response }
            return try await redirects.follow(response, of: request, body: body, context: context, next: last)
        }
        var next = last
        if let redirects { next = next.behind(redirects) }
        for interceptor in interceptors.reversed() { next = next.behind(interceptor) }
        return try await next(request, body: body, context: context)
    }

    /// The transport as interceptors and redirects see it. They can change the request, so the sent one is noted.
    private var last: NextHTTPInterceptor {
        NextHTTPInterceptor { request, body, context in
            operation.noteRequest(request)
            return try await exchange(request, body, context)
        }
    }

    private func exchange(
        _ request: HTTPRequest, _ body: HTTPBodyEntity?, _ context: HTTPRequestContext
    ) async throws -> ReceivedHTTPResponse {
        var response: ReceivedHTTPResponse
        let start = keeper.clock.now
        if let limit = context.timeouts.firstByte, let end = start.advanced(within: limit) {
            if interceptors.isEmpty {
                // Without interceptors, nothing retries the request. So the limit ends the operation, and the exchange
                // needs no task.
                let number = operation.impose(.firstByte(limit), until: end)
                defer { operation.lift(number) }
                let context = context.restarting(limit, keeper.clock, hasBody: body != nil) { [operation] in
                    operation.move(number, to: $0)
                }
                response = try await transport.send(request, body: body, context: context)
            } else {
                response = try await keeper.run(.firstByte(limit), until: end) { [transport, keeper] move in
                    let context = context.restarting(limit, keeper.clock, hasBody: body != nil, move)
                    return try await transport.send(request, body: body, context: context)
                }
            }
        } else {
            response = try await transport.send(request, body: body, context: context)
        }
        response.facts.timeToHead = start.duration(to: keeper.clock.now)
        if context.timeouts.idle != nil || context.deadline != nil {
            response.body.limit(
                by: PieceLimits(
                    keeper: keeper, operation: operation, idle: context.timeouts.idle, deadline: context.deadline))
        }
        return response
    }
}

extension HTTPRequestContext {
    /// Returns a context whose progress restarts the limit, so that the time to send a large body does not count as the
    /// server's time to answer.
    fileprivate func restarting(
        _ limit: Duration, _ clock: any HTTPClock, hasBody: Bool,
        _ move: @escaping @Sendable (ContinuousClock.Instant) -> Void
    ) -> HTTPRequestContext {
        guard hasBody else { return self }
        var context = self
        let report = uploadProgress
        context.uploadProgress = { progress in
            if let end = clock.now.advanced(within: limit) { move(end) }
            report?(progress)
        }
        return context
    }
}
