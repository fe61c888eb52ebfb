// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import AsyncHTTPClient
    import HTTPRequests
    import NIOCore

    /// The body of a response. Each piece is read from the connection on demand.
    ///
    /// Releasing it before its end closes the connection or resets the stream. It retains the connections of the
    /// transport, so the transport may be released first.
    final class ResponseBody: HTTPByteSource, @unchecked Sendable {
        // Only `next()` uses `iterator` and `received`, and calls of `next()` never overlap.
        private var iterator: HTTPClientResponse.Body.AsyncIterator
        private var received: Int64 = 0
        private let upload: Upload?
        private let translation: ErrorTranslation
        private let limit: Int64?

        /// - Parameters:
        ///   - upload: The body of the request, which is cancelled with the response.
        ///   - limit: The largest number of bytes; `nil` for no limit.
        init(
            _ body: HTTPClientResponse.Body, upload: Upload?, translation: ErrorTranslation,
            limit: Int64?
        ) {
            iterator = body.makeAsyncIterator()
            self.upload = upload
            self.translation = translation
            self.limit = limit
        }

        deinit { upload?.cancel() }

        func next() async throws -> ArraySlice<UInt8>? {
            do {
                guard let buffer = try await iterator.next() else {
                    // If the task is cancelled, the library ends the sequence as if the body were complete.
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
