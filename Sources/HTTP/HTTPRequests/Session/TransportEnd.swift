// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes

/// The end of a chain of interceptors: a transport whose exchanges are held to the time limits.
struct TransportEnd: Sendable {
    let transport: any HTTPTransport
    let keeper: TimeKeeper
    /// The operation of the request, which is held to the total limit.
    let operation: LimitedOperation
    /// Whether no interceptor can send the request again. A limit that is exceeded then ends the operation, so that the
    /// exchange needs no task of its own.
    let isLastAttempt: Bool

    func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> (HTTPResponse, HTTPByteStream) {
        let limit = context.timeouts.firstByte
        let (head, stream): (HTTPResponse, HTTPByteStream)
        if let limit, let end = keeper.clock.now.advanced(within: limit) {
            guard isLastAttempt else {
                (head, stream) = try await sendInTask(request, body, context, within: limit, until: end)
                return (head, limited(stream, context))
            }
            let number = operation.impose(.firstByte(limit), until: end)
            defer { operation.lift(number) }
            let context = context.restarting(limit, keeper.clock, hasBody: body != nil) { [operation] in
                operation.move(number, to: $0)
            }
            (head, stream) = try await transport.send(request, body: body, context: context)
        } else {
            (head, stream) = try await transport.send(request, body: body, context: context)
        }
        return (head, limited(stream, context))
    }

    /// Sends a request that an interceptor could send again, so that a limit that is exceeded ends this attempt only.
    private func sendInTask(
        _ request: HTTPRequest, _ body: HTTPBodyEntity?, _ context: HTTPRequestContext, within limit: Duration,
        until end: ContinuousClock.Instant
    ) async throws -> (HTTPResponse, HTTPByteStream) {
        let (transport, clock) = (transport, keeper.clock)
        return try await keeper.run(.firstByte(limit), until: end) { move in
            let context = context.restarting(limit, clock, hasBody: body != nil, move)
            return try await transport.send(request, body: body, context: context)
        }
    }

    /// Holds the pieces of a response to the time limits of the request.
    private func limited(_ stream: HTTPByteStream, _ context: HTTPRequestContext) -> HTTPByteStream {
        guard context.timeouts.idle != nil || context.deadline != nil else { return stream }
        stream.limit(
            by: PieceLimits(
                keeper: keeper, operation: operation, idle: context.timeouts.idle, deadline: context.deadline))
        return stream
    }
}

extension HTTPRequestContext {
    /// Returns a context whose progress begins the limit again: the time that a large body takes to be sent is not time
    /// that the server takes to answer.
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
