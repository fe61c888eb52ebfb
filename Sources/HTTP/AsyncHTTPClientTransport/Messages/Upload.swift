// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import AsyncHTTPClient
    import HTTPRequests
    import NIOCore
    import Synchronization

    protocol UploadSource: Sendable {
        /// Returns the next piece; `nil` at the end.
        ///
        /// - Parameter sent: The number of bytes of the pieces before it.
        func next(after sent: Int64) async throws -> ByteBuffer?
        /// Stops producing pieces. Later calls of ``next(after:)`` throw.
        func cancel()
    }

    /// The failure of the stream that produces a request's body.
    struct UploadFailure: Error {
        var cause: any Error
    }

    /// The body of a request as the library reads it. Checks the length and reports the progress.
    struct Upload: AsyncSequence, Sendable {
        fileprivate let source: any UploadSource
        fileprivate let length: Int64?
        fileprivate let progress: (@Sendable (HTTPProgress) -> Void)?

        /// Sets the body of a message. Returns `nil` if there is nothing to check or report.
        ///
        /// - Throws: An ``HTTPTransportError`` if a file cannot be read; the error of the closure that makes a stream.
        static func begin(
            _ body: HTTPBodyEntity, in message: inout HTTPClientRequest,
            progress: (@Sendable (HTTPProgress) -> Void)?
        ) async throws -> Upload? {
            let upload: Upload
            switch body.content {
            case .bytes(let bytes):
                // A long body is sent in pieces, because the library drops the answer of a server that closes the
                // connection early if the end of the request is already being written. A body that fits into the
                // buffers of a connection is sent at once and has no progress to report.
                guard bytes.count > UploadOfBytes.pieceBytes || (progress != nil && bytes.count > 16 << 10) else {
                    message.body = .bytes(ByteBuffer(bytes: bytes))
                    return nil
                }
                upload = Upload(source: UploadOfBytes(bytes), length: Int64(bytes.count), progress: progress)
            case .file(let path):
                let stream = try await Self.stream(ofFileAt: path)
                guard stream.length != 0 else {
                    message.body = .bytes(ByteBuffer())
                    return nil
                }
                upload = Upload(source: UploadOfStream(stream), length: stream.length, progress: progress)
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
                upload = Upload(source: UploadOfStream(stream), length: length, progress: progress)
            }
            message.body = .stream(upload, length: upload.length.map { .known($0) } ?? .unknown)
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

        /// Stops producing the body. Has no effect if it is complete.
        func cancel() { source.cancel() }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(upload: self) }

        struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let upload: Upload
            fileprivate var sent: Int64 = 0
            /// The size of the piece that the library got last, in bytes.
            fileprivate var pending: Int64 = 0

            mutating func next() async throws -> ByteBuffer? {
                // The library asks for a piece when it has sent the one before.
                if pending > 0 {
                    sent += pending
                    pending = 0
                    upload.progress?(HTTPProgress(completedBytes: sent, totalBytes: upload.length))
                }
                do {
                    let piece = try await upload.source.next(after: sent)
                    pending = Int64(piece?.readableBytes ?? 0)
                    try checkLength(isComplete: piece == nil)
                    return piece
                } catch {
                    // The server may answer once it has all bytes. The upload may then be cancelled before the end of
                    // the stream is read, which is no failure.
                    if error is CancellationError, sent + pending == upload.length { return nil }
                    throw UploadFailure(cause: error)
                }
            }

            private func checkLength(isComplete: Bool) throws {
                guard let length = upload.length else { return }
                let produced = sent + pending
                guard produced > length || (isComplete && produced < length) else { return }
                throw HTTPTransportError(
                    .invalidRequest,
                    "The body of the request has \(produced > length ? "more" : "fewer") bytes than the announced "
                        + "\(length).")
            }
        }
    }

    extension HTTPByteStream {
        /// Reads the first piece, and returns whether there is none.
        fileprivate func isEmpty() async throws -> Bool {
            for try await _ in self { return false }
            return true
        }
    }

    /// Bytes in memory, in pieces.
    private final class UploadOfBytes: UploadSource {
        static let pieceBytes = 131_072
        private let bytes: [UInt8]
        private let isCancelled = Atomic(false)

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func next(after sent: Int64) async throws -> ByteBuffer? {
            if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
            let piece = bytes.dropFirst(Int(sent)).prefix(Self.pieceBytes)
            return piece.isEmpty ? nil : ByteBuffer(bytes: piece)
        }

        func cancel() { isCancelled.store(true, ordering: .relaxed) }
    }

    /// A stream, read by a task of its own, one piece ahead of the connection.
    ///
    /// Cancelling a request cancels this task, so that a stream does not wait for bytes that nobody needs.
    private final class UploadOfStream: UploadSource {
        private struct State {
            /// The task that reads the stream.
            var task: Task<Void, Never>?
            /// The piece that the task offers, until the connection takes it.
            var piece: ByteBuffer?
            var producer: CheckedContinuation<Bool, Never>?
            /// The connection, which waits for a piece.
            var consumer: CheckedContinuation<ByteBuffer?, any Error>?
            var end: Result<Void, any Error>?
        }

        private let state = Mutex(State())

        init(_ stream: HTTPByteStream) {
            let reading = Task { [weak self] in
                do {
                    for try await piece in stream {
                        guard await self?.offer(ByteBuffer(bytes: piece)) == true else { return }
                    }
                    self?.end(.success(()))
                } catch {
                    self?.end(.failure(error))
                }
            }
            state.withLock { $0.task = reading }
        }

        deinit { cancel() }

        func next(after sent: Int64) async throws -> ByteBuffer? {
            try await withCheckedThrowingContinuation { consumer in
                let (outcome, producer) = state.withLock {
                    state -> (Result<ByteBuffer?, any Error>?, CheckedContinuation<Bool, Never>?) in
                    if let piece = state.piece.take() { return (.success(piece), state.producer.take()) }
                    if let end = state.end { return (end.map { nil }, nil) }
                    state.consumer = consumer
                    return (nil, nil)
                }
                producer?.resume(returning: true)
                if let outcome { consumer.resume(with: outcome) }
            }
        }

        func cancel() {
            state.withLock { $0.task }?.cancel()
            end(.failure(CancellationError()))
        }

        /// Gives a piece to the connection. Returns whether more are wanted.
        private func offer(_ piece: ByteBuffer) async -> Bool {
            await withCheckedContinuation { producer in
                let (consumer, isWanted) = state.withLock {
                    state -> (CheckedContinuation<ByteBuffer?, any Error>?, Bool?) in
                    if state.end != nil { return (nil, false) }
                    if let consumer = state.consumer.take() { return (consumer, true) }
                    (state.piece, state.producer) = (piece, producer)
                    return (nil, nil)
                }
                consumer?.resume(returning: piece)
                if let isWanted { producer.resume(returning: isWanted) }
            }
        }

        private func end(_ result: Result<Void, any Error>) {
            let (consumer, producer) = state.withLock { state in
                if state.end == nil { state.end = result }
                state.piece = nil
                return (state.consumer.take(), state.producer.take())
            }
            consumer?.resume(with: result.map { nil })
            producer?.resume(returning: false)
        }
    }
#endif
