// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import AsyncHTTPClient
    import HTTPRequests
    import NIOCore

    /// The body of a response. Each piece is read from the connection when it is asked for.
    ///
    /// Releasing it before its end closes the connection, or resets the stream. It holds on to the connections of the
    /// transport, so that the transport may be released first.
    final class ResponseBody: HTTPByteSource, @unchecked Sendable {
        // `iterator`, `received` and `isUploadWanted` are used by `next()` and `deinit` only, and a stream calls `next()` again only after it has
        // returned.
        private var iterator: HTTPClientResponse.Body.AsyncIterator
        private var received: Int64 = 0
        /// Whether the request is still being sent to a server that has answered with success.
        private var isUploadWanted = false
        private let upload: Upload?
        private let isSuccess: Bool
        private let translation: ErrorTranslation
        private let limit: Int64?

        /// - Parameters:
        ///   - upload: The body of the request. If the response is not read to its end, it is cancelled.
        ///   - isSuccess: Whether the response is below 300. The library sends the rest of the body only then.
        ///   - limit: The largest number of bytes; `nil` for no limit.
        init(
            _ body: HTTPClientResponse.Body, upload: Upload?, isSuccess: Bool, translation: ErrorTranslation,
            limit: Int64?
        ) {
            iterator = body.makeAsyncIterator()
            self.upload = upload
            self.isSuccess = isSuccess
            self.translation = translation
            self.limit = limit
        }

        deinit {
            if !isUploadWanted { upload?.cancel() }
        }

        func next() async throws -> ArraySlice<UInt8>? {
            do {
                guard let buffer = try await iterator.next() else {
                    // The library ends the sequence of a cancelled task as if the body were complete.
                    try Task.checkCancellation()
                    return nil
                }
                received += Int64(buffer.readableBytes)
                if let limit, received > limit {
                    throw HTTPTransportError(
                        .bodyTooLarge,
                        "The decompressed body exceeds \(limit) bytes. The option `decompression.maximumBytes` raises this."
                    )
                }
                return [UInt8](buffer: buffer)[...]
            } catch {
                throw translation.error(for: error, isResponseBegun: true)
            }
        }
    }
#endif
