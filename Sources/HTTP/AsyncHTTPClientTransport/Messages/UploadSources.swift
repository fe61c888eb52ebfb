// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import HTTPRequests
    import NIOCore
    import Synchronization

    /// Bytes in memory, in pieces.
    final class UploadOfBytes: UploadSource {
        static let pieceBytes = 131_072
        private let rest: Mutex<ArraySlice<UInt8>>

        init(_ bytes: [UInt8]) { rest = Mutex(bytes[...]) }

        func next() async throws -> ByteBuffer? {
            let piece = rest.withLock { rest in
                defer { rest = rest.dropFirst(Self.pieceBytes) }
                return rest.prefix(Self.pieceBytes)
            }
            return piece.isEmpty ? nil : ByteBuffer(bytes: piece)
        }

        func cancel() { rest.withLock { $0 = [] } }
    }

    /// A stream, read by a task of its own, one piece ahead of the connection.
    ///
    /// The task is what a cancelled request cancels, so that no stream waits for bytes that nobody will send.
    final class UploadOfStream: UploadSource {
        private enum State {
            case idle
            /// The connection waits for a piece.
            case wanted(CheckedContinuation<ByteBuffer?, any Error>)
            /// The task waits until its piece is taken.
            case offered(ByteBuffer, CheckedContinuation<Bool, Never>)
            case ended(Result<Void, any Error>)
        }

        private let state = Mutex(State.idle)
        private let task = Mutex<Task<Void, Never>?>(nil)

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
            task.withLock { $0 = reading }
        }

        deinit { cancel() }

        func next() async throws -> ByteBuffer? {
            try await withCheckedThrowingContinuation { continuation in
                let (piece, producer) = state.withLock {
                    state -> (Result<ByteBuffer?, any Error>?, CheckedContinuation<Bool, Never>?) in
                    switch state {
                    case .idle, .wanted:
                        state = .wanted(continuation)
                        return (nil, nil)
                    case .offered(let piece, let producer):
                        state = .idle
                        return (.success(piece), producer)
                    case .ended(let result): return (result.map { nil }, nil)
                    }
                }
                producer?.resume(returning: true)
                if let piece { continuation.resume(with: piece) }
            }
        }

        func cancel() {
            task.withLock { $0 }?.cancel()
            end(.failure(CancellationError()))
        }

        /// Gives a piece to the connection. Returns whether more are wanted.
        private func offer(_ piece: ByteBuffer) async -> Bool {
            await withCheckedContinuation { continuation in
                let (consumer, isEnded) = state.withLock {
                    state -> (CheckedContinuation<ByteBuffer?, any Error>?, Bool) in
                    switch state {
                    case .wanted(let consumer):
                        state = .idle
                        return (consumer, false)
                    case .idle, .offered:
                        state = .offered(piece, continuation)
                        return (nil, false)
                    case .ended: return (nil, true)
                    }
                }
                if let consumer {
                    consumer.resume(returning: piece)
                    continuation.resume(returning: true)
                } else if isEnded {
                    continuation.resume(returning: false)
                }
            }
        }

        private func end(_ result: Result<Void, any Error>) {
            let before = state.withLock { state in
                defer { if case .ended = state {} else { state = .ended(result) } }
                return state
            }
            switch before {
            case .wanted(let consumer): consumer.resume(with: result.map { nil })
            case .offered(_, let producer): producer.resume(returning: false)
            case .idle, .ended: break
            }
        }
    }
#endif
