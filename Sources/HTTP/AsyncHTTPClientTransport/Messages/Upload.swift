// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import AsyncHTTPClient
    import HTTPRequests
    import NIOCore
    import Synchronization

    /// A producer of the pieces of a request's body.
    protocol UploadSource: Sendable {
        /// Returns the next piece; `nil` at the end.
        func next() async throws -> ByteBuffer?
        /// Ends the production. Later calls of ``next()`` throw.
        func cancel()
    }

    /// The failure of the stream that produces a request's body.
    struct UploadFailure: Error {
        var cause: any Error
    }

    /// The body of a request while it is sent: checks its length and reports its progress.
    final class Upload: Sendable {
        private struct State {
            var sentBytes: Int64 = 0
            /// The bytes of the piece that was given to the library last.
            var pendingBytes: Int64 = 0
        }

        private let source: any UploadSource
        private let length: Int64?
        private let progress: (@Sendable (HTTPProgress) -> Void)?
        private let state = Mutex(State())

        private init(
            _ source: any UploadSource, length: Int64?, progress: (@Sendable (HTTPProgress) -> Void)?
        ) {
            self.source = source
            self.length = length
            self.progress = progress
        }

        /// Sets the body of a message. Returns `nil` if there is nothing to supervise.
        ///
        /// - Throws: An ``HTTPTransportError`` if a file cannot be read; the error of the closure that makes a stream.
        static func begin(
            _ body: HTTPBodyEntity, in message: inout HTTPClientRequest,
            progress: (@Sendable (HTTPProgress) -> Void)?
        ) async throws -> Upload? {
            let upload: Upload
            switch body.content {
            case .bytes(let bytes):
                // If a server answers and closes the connection before it has read everything, the library gives up the answer
                // when the end of the request is on its way already. With pieces, it is not.
                guard bytes.count > UploadOfBytes.pieceBytes || (progress != nil && !Self.isSentAtOnce(bytes)) else {
                    message.body = .bytes(ByteBuffer(bytes: bytes))
                    return nil
                }
                upload = Upload(UploadOfBytes(bytes), length: Int64(bytes.count), progress: progress)
            case .file(let path):
                let stream = try await Self.stream(ofFileAt: path)
                guard stream.length != 0 else {
                    message.body = .bytes(ByteBuffer())
                    return nil
                }
                upload = Upload(UploadOfStream(stream), length: stream.length, progress: progress)
            case .stream(let length, _, let make):
                let stream = try await make()
                if let length, length <= 0 {
                    // The library does not ask for the pieces of an empty body.
                    guard length == 0, try await stream.isEmpty() else {
                        throw HTTPTransportError(
                            .invalidRequest, "The body of the request has more bytes than the announced \(length).",
                            isRequestUnsent: true)
                    }
                    message.body = .bytes(ByteBuffer())
                    return nil
                }
                upload = Upload(UploadOfStream(stream), length: length, progress: progress)
            }
            message.body = .stream(UploadPieces(upload: upload), length: upload.length.map { .known($0) } ?? .unknown)
            return upload
        }

        private static func stream(ofFileAt path: String) async throws -> HTTPByteStream {
            do {
                return try await HTTPBodyEntity(content: .file(path: path)).makeStream()
            } catch let error as HTTPBodyError {
                throw HTTPTransportError(
                    .invalidRequest, "Could not make the body of the request: \(error)", isRequestUnsent: true)
            }
        }

        /// Whether a body fits into the buffers of a connection. Its progress is one step, from nothing to everything.
        static func isSentAtOnce(_ bytes: [UInt8]) -> Bool { bytes.count <= 16 << 10 }

        /// Ends the production of the body. Without effect when it is complete.
        func cancel() { source.cancel() }

        fileprivate func next() async throws -> ByteBuffer? {
            // The library asks for a piece when it has sent the one before.
            reportSent()
            do {
                guard let piece = try await source.next() else {
                    try checkLength(isComplete: true)
                    return nil
                }
                state.withLock { $0.pendingBytes = Int64(piece.readableBytes) }
                try checkLength(isComplete: false)
                return piece
            } catch {
                // A server answers as soon as it has all bytes, so the response may be read before the end of the stream.
                if error is CancellationError, isWhole { return nil }
                throw UploadFailure(cause: error)
            }
        }

        private func reportSent() {
            let sent = state.withLock { state -> Int64? in
                guard state.pendingBytes > 0 else { return nil }
                state.sentBytes += state.pendingBytes
                state.pendingBytes = 0
                return state.sentBytes
            }
            if let sent { progress?(HTTPProgress(completedBytes: sent, totalBytes: length)) }
        }

        /// Whether all bytes of the announced length were given to the library.
        private var isWhole: Bool { state.withLock { $0.sentBytes + $0.pendingBytes } == length }

        private func checkLength(isComplete: Bool) throws {
            guard let length else { return }
            let produced = state.withLock { $0.sentBytes + $0.pendingBytes }
            guard produced > length || (isComplete && produced < length) else { return }
            throw HTTPTransportError(
                .invalidRequest,
                "The body of the request has \(produced > length ? "more" : "fewer") bytes than the announced \(length)."
            )
        }
    }

    extension HTTPByteStream {
        /// Reads the first piece, and returns whether there is none.
        fileprivate func isEmpty() async throws -> Bool {
            for try await _ in self { return false }
            return true
        }
    }

    /// The pieces of an upload, as the library reads them.
    private struct UploadPieces: AsyncSequence, Sendable {
        struct AsyncIterator: AsyncIteratorProtocol {
            let upload: Upload

            mutating func next() async throws -> ByteBuffer? { try await upload.next() }
        }

        let upload: Upload

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(upload: upload) }
    }
#endif
