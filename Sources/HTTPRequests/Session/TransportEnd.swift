// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes

/// The end of a chain of interceptors: a transport whose exchanges are held to the time limits.
struct TransportEnd: Sendable {
    let transport: any HTTPTransport
    let keeper: TimeKeeper

    func send(
        _ request: HTTPRequest, body: HTTPBodyEntity?, context: HTTPRequestContext
    ) async throws -> (HTTPResponse, HTTPByteStream) {
        let (transport, clock, limits) = (transport, keeper.clock, context.timeouts)
        let (deadline, isTotal) = Self.earlier(clock.now.advanced(within: limits.firstByte), context.deadline)
        let (head, stream) = try await keeper.run(
            until: deadline,
            reason: isTotal
                ? HTTPTimeouts.totalExceeded
                : "The head of the response did not arrive within the limit of \(limits.firstByte?.text ?? "")"
        ) { moveDeadline in
            var context = context
            if body != nil, deadline != nil, !isTotal {
                // The time that a large body takes to be sent is not time that the server takes to answer.
                let (report, total) = (context.uploadProgress, context.deadline)
                context.uploadProgress = { progress in
                    if let end = Self.earlier(clock.now.advanced(within: limits.firstByte), total).deadline {
                        moveDeadline(end)
                    }
                    report?(progress)
                }
            }
            return try await transport.send(request, body: body, context: context)
        }
        guard limits.idle != nil || context.deadline != nil else { return (head, stream) }
        let timed = stream.mapSource {
            TimedSource(base: $0, keeper: keeper, idle: limits.idle, deadline: context.deadline)
        }
        return (head, timed)
    }

    private static func earlier(
        _ limit: ContinuousClock.Instant?, _ total: ContinuousClock.Instant?
    ) -> (deadline: ContinuousClock.Instant?, isTotal: Bool) {
        guard let limit else { return (total, total != nil) }
        guard let total, total < limit else { return (limit, false) }
        return (total, true)
    }
}
