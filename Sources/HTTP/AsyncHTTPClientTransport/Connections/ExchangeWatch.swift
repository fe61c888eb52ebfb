// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import HTTPRequests
    import NIOCore
    import NIOHTTP1
    import NIOHTTP2
    import NIOHTTPCompression
    import NIOSSL

    /// The failure of an exchange on an established connection, before the head of the response.
    struct ExchangeFailure: Error {
        /// The cause; `nil` if the connection ended without an error.
        var cause: (any Error)?
        /// Whether the connection had served an earlier request.
        var isConnectionReused: Bool
        /// Whether the server refused the stream, which it has not processed, and ended the connection (RFC 9113 §6.8).
        var isRefused: Bool
    }

    /// Watches the requests and responses of one HTTP/1.1 connection, or of one stream of HTTP/2.
    ///
    /// The library does not report whether a lost connection was reused; only the channel pipeline knows. The library
    /// also traps on an unexpected response, such as one with the status `000`. So this handler sits between the HTTP
    /// codec and the decompressor, and passes on one final head, its body and its end, and nothing else.
    ///
    /// An HTTP/1.1 connection is closed if the server sends anything without a request. If the pool assigns a request
    /// to it before it learns of that, the request is not sent, and its failure says so.
    final class ExchangeWatch: ChannelDuplexHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        private enum Phase {
            /// No request waits for a response.
            case idle
            case awaitingHead
            case inBody
            /// The connection is being closed. Everything else from the server is dropped.
            case failed
        }

        /// The largest number of informational responses (RFC 9110 §15.2) to one request.
        static let mostInformationalResponses = 256

        private let isDecompressing: Bool
        /// Whether the channel is one stream of HTTP/2, which serves one request.
        private let isStream: Bool
        /// Counts the streams of the connection; `nil` on HTTP/1.1.
        private let counter: StreamCounter?
        /// The number of requests on this connection before the current one; -1 before the first request.
        private var earlierRequests = -1
        private var phase = Phase.idle
        private var isHeadRequest = false
        private var informationalResponses = 0
        /// The end of a response, held back until the bytes that arrived with it were read. After the end, the pool may
        /// assign the next request, and leftover bytes must not be taken for its response.
        private var heldEnd: NIOAny?
        /// The failure of requests that are assigned to an ending connection; `nil` while it accepts requests.
        private var refusal: ExchangeFailure?
        private var hasRefusedRequest = false

        init(isDecompressing: Bool, isStream: Bool = false, counter: StreamCounter? = nil) {
            self.isDecompressing = isDecompressing
            self.isStream = isStream
            self.counter = counter
        }

        static func install(onHTTP1 channel: any Channel, isDecompressing: Bool) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let codec = try pipeline.handler(type: ByteToMessageHandler<NIOHTTP1.HTTPResponseDecoder>.self)
                try pipeline.addHandler(ExchangeWatch(isDecompressing: isDecompressing), position: .after(codec))
            }
        }

        static func install(onStream channel: any Channel, isDecompressing: Bool) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
                let counter = try? channel.parent?.pipeline.syncOperations.handler(type: StreamCounter.self)
                let watch = ExchangeWatch(isDecompressing: isDecompressing, isStream: true, counter: counter)
                try pipeline.addHandler(watch, position: .after(codec))
                try pipeline.addHandler(StatusGuard(), position: .before(codec))
            }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if refusal != nil { return refuse(Self.unwrapOutboundIn(data), promise, context: context) }
            switch Self.unwrapOutboundIn(data) {
            case .head(let head) where phase != .failed:
                phase = .awaitingHead
                informationalResponses = 0
                isHeadRequest = head.method == .HEAD
                earlierRequests += 1
                if let counter {
                    earlierRequests = counter.streams
                    counter.streams += 1
                }
                context.write(data, promise: promise)
            case .end:
                // The library reports a failure of this write as that of the request. Mark it as a failure of an
                // established connection.
                guard let promise else { return context.write(data, promise: nil) }
                let written = context.eventLoop.makePromise(of: Void.self)
                written.futureResult.assumeIsolated().whenComplete { [eventLoop = context.eventLoop] result in
                    guard case .failure(let error) = result else { return promise.succeed() }
                    // The write fails before the counter sees the frame that ends the connection, so wait a turn.
                    eventLoop.assumeIsolated().execute { promise.fail(self.failure(for: error)) }
                }
                context.write(data, promise: written)
            case .head, .body: context.write(data, promise: promise)
            }
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            guard phase == .idle else { return context.close(mode: mode, promise: promise) }
            // The library closes the connection before it delivers the end of the last response. If the end of the
            // request is still being written, that would fail the response. So close one turn of the event loop later.
            let bound = context.loopBound
            context.eventLoop.execute { bound.value.close(mode: mode, promise: promise) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if heldEnd != nil { return endIdle(with: HTTPParserError.invalidInternalState, context: context) }
            switch (Self.unwrapInboundIn(data), phase) {
            case (.head(var head), .awaitingHead):
                // Only a request with `Upgrade` may be answered with 101 (RFC 9110 §15.2.2).
                guard (100...999).contains(head.status.code), head.status != .switchingProtocols else {
                    return fail(with: HTTPParserError.invalidStatus, context: context)
                }
                if head.status.code < 200 { return countInformationalResponse(context: context) }
                phase = .inBody
                // The decompressor would report a missing body as truncated.
                if isDecompressing, hasNoContent(head), head.headers.contains(name: "Content-Encoding") {
                    head.headers.remove(name: "Content-Encoding")
                    return context.fireChannelRead(Self.wrapInboundOut(.head(head)))
                }
                context.fireChannelRead(data)
            case (.body, .inBody): context.fireChannelRead(data)
            case (.end, .inBody):
                phase = .idle
                if isStream { context.fireChannelRead(data) } else { heldEnd = data }
            case (_, .failed): break
            case (_, .idle) where !isStream: endIdle(with: HTTPParserError.invalidInternalState, context: context)
            case (_, .idle), (_, .awaitingHead), (.head, .inBody):
                fail(with: HTTPParserError.invalidInternalState, context: context)
            }
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            releaseEnd(context: context)
            context.fireChannelReadComplete()
        }

        func channelInactive(context: ChannelHandlerContext) {
            // A body may end with its connection.
            releaseEnd(context: context)
            if phase == .awaitingHead { fail(with: nil, context: context) }
            failRefusedRequest(context: context)
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if phase == .idle, !isStream { return endIdle(with: error, context: context) }
            // The library itself handles a connection that ends without TLS `close_notify`.
            if phase == .awaitingHead, error as? NIOSSLError != .uncleanShutdown {
                fail(with: error, context: context)
            } else {
                context.fireErrorCaught(error)
            }
        }

        private func releaseEnd(context: ChannelHandlerContext) {
            guard let end = heldEnd.take() else { return }
            context.fireChannelRead(end)
        }

        private func countInformationalResponse(context: ChannelHandlerContext) {
            informationalResponses += 1
            let limit = Self.mostInformationalResponses
            guard informationalResponses > limit else { return }
            fail(
                with: HTTPTransportError(
                    .protocolViolation, "The server sent more than \(limit) informational responses (1xx)."),
                context: context)
        }

        /// Closes an idle connection, and refuses requests that the pool assigns to it meanwhile.
        private func endIdle(with cause: any Error, context: ChannelHandlerContext) {
            phase = .failed
            refusal = ExchangeFailure(cause: cause, isConnectionReused: earlierRequests >= 0, isRefused: true)
            releaseEnd(context: context)
            context.close(promise: nil)
        }

        /// Drops a part of a request. Nothing of the request is sent.
        private func refuse(
            _ part: HTTPClientRequestPart, _ promise: EventLoopPromise<Void>?, context: ChannelHandlerContext
        ) {
            if let refusal { promise?.fail(refusal) }
            guard case .head = part else { return }
            hasRefusedRequest = true
            // The library cannot handle an error before it has written the whole head.
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.execute {
                let (watch, context) = bound.value
                watch.failRefusedRequest(context: context)
            }
        }

        private func failRefusedRequest(context: ChannelHandlerContext) {
            guard hasRefusedRequest, let refusal else { return }
            hasRefusedRequest = false
            context.fireErrorCaught(refusal)
        }

        private func fail(with cause: (any Error)?, context: ChannelHandlerContext) {
            phase = .failed
            context.fireErrorCaught(failure(for: cause))
            context.close(promise: nil)
        }

        private func failure(for cause: (any Error)?) -> ExchangeFailure {
            ExchangeFailure(
                cause: cause, isConnectionReused: earlierRequests > 0,
                isRefused: cause.map { counter?.hasRefused($0) ?? false } ?? false)
        }

        /// Whether a response has no content (RFC 9110 §6.4.1), or an empty one.
        private func hasNoContent(_ head: HTTPResponseHead) -> Bool {
            isHeadRequest || head.status == .noContent || head.status == .notModified
                || head.headers.first(name: "Content-Length") == "0"
        }
    }

    /// Refuses a response of HTTP/2 whose status is not three digits (RFC 9110 §15). SwiftNIO traps on an empty one and
    /// on a negative number.
    private final class StatusGuard: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias InboundOut = HTTP2Frame.FramePayload

        private var hasFailed = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasFailed else { return }
            if case .headers(let frame) = Self.unwrapInboundIn(data),
                let status = frame.headers.first(where: { $0.name == ":status" })?.value,
                status.utf8.count != 3
                    || !status.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            {
                hasFailed = true
                context.fireErrorCaught(HTTPParserError.invalidStatus)
                context.close(promise: nil)
                return
            }
            context.fireChannelRead(data)
        }
    }

    /// Counts the streams of one HTTP/2 connection, and remembers the last one that the server accepts.
    final class StreamCounter: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame
        typealias InboundOut = HTTP2Frame

        /// The number of streams that were begun.
        var streams = 0
        /// The last stream that the server may have processed; `nil` while the server takes all streams.
        private var lastTakenStream: HTTP2StreamID?

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .goAway(let last, _, _) = Self.unwrapInboundIn(data).payload { lastTakenStream = last }
            context.fireChannelRead(data)
        }

        /// Returns whether a stream was closed because the server ends the connection without processing it.
        func hasRefused(_ error: any Error) -> Bool {
            guard let lastTakenStream, let closed = error as? NIOHTTP2Errors.StreamClosed else { return false }
            return closed.streamID > lastTakenStream
        }

        static func install(on channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(StreamCounter())
            }
        }
    }
#endif
