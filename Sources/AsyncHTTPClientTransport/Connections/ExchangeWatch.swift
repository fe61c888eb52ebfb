// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import NIOCore
    import NIOHTTP1
    import NIOHTTP2
    import NIOHTTPCompression
    import NIOSSL

    /// The failure of an exchange before the head of its response, on a connection that had been established.
    struct ExchangeFailure: Error {
        /// The cause; `nil` if the connection ended without an error.
        var cause: (any Error)?
        /// Whether the connection had served an earlier request.
        var isConnectionReused: Bool
    }

    /// Watches the requests and responses of one HTTP/1.1 connection, or of one stream of HTTP/2.
    ///
    /// The library reports a lost connection without saying whether it was a reused one. Only the pipeline of the channel
    /// knows. The watch sits between the HTTP codec and the decompressor.
    final class ExchangeWatch: ChannelDuplexHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        private let isDecompressing: Bool
        /// The requests that this connection has begun before the current one.
        private var earlierRequests = -1
        private var isAwaitingHead = false
        private var isHeadRequest = false

        init(isDecompressing: Bool) { self.isDecompressing = isDecompressing }

        static func install(onHTTP1 channel: any Channel, isDecompressing: Bool) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let codec = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(ExchangeWatch(isDecompressing: isDecompressing), position: .after(codec))
            }
        }

        static func install(onStream channel: any Channel, isDecompressing: Bool) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
                try pipeline.addHandler(ExchangeWatch(isDecompressing: isDecompressing), position: .after(codec))
            }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .head(let head) = Self.unwrapOutboundIn(data) {
                isAwaitingHead = true
                isHeadRequest = head.method == .HEAD
                earlierRequests += 1
                if let counter = try? context.channel.parent?.pipeline.syncOperations.handler(type: StreamCounter.self)
                {
                    earlierRequests = counter.streams
                    counter.streams += 1
                }
            }
            context.write(data, promise: promise)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .head(var head) = Self.unwrapInboundIn(data) {
                isAwaitingHead = false
                // The decompressor takes a missing body for a truncated one.
                if isDecompressing, hasNoContent(head), head.headers.contains(name: "Content-Encoding") {
                    head.headers.remove(name: "Content-Encoding")
                    return context.fireChannelRead(Self.wrapInboundOut(.head(head)))
                }
            }
            context.fireChannelRead(data)
        }

        func channelInactive(context: ChannelHandlerContext) {
            if isAwaitingHead { fail(with: nil, context: context) }
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // The library has rules of its own for a connection that ends without the closing message of TLS.
            if isAwaitingHead, error as? NIOSSLError != .uncleanShutdown {
                fail(with: error, context: context)
            } else {
                context.fireErrorCaught(error)
            }
        }

        private func fail(with cause: (any Error)?, context: ChannelHandlerContext) {
            isAwaitingHead = false
            context.fireErrorCaught(ExchangeFailure(cause: cause, isConnectionReused: earlierRequests > 0))
        }

        /// Whether a response has no content (RFC 9110 §6.4.1), or an empty one.
        private func hasNoContent(_ head: HTTPResponseHead) -> Bool {
            isHeadRequest || head.status == .noContent || head.status == .notModified
                || head.headers.first(name: "Content-Length") == "0"
        }
    }

    /// Counts the streams of one HTTP/2 connection.
    final class StreamCounter: ChannelInboundHandler {
        typealias InboundIn = Any

        /// The streams that were begun.
        var streams = 0

        static func install(on channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(StreamCounter())
            }
        }
    }
#endif
