// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import HTTPRequests
import HTTPTypes
import TaskWaits

/// A request and its response, between the session's delegate and the waiting caller.
final class Exchange: Sendable {
    struct Head: Sendable {
        var response: HTTPResponse
        /// The announced length of the body; `nil` if it is unknown.
        var length: Int64?
    }

    private struct State: Sendable {
        var task: URLSessionTask?
        var head: Head?
        var pieces: [ArraySlice<UInt8>] = []
        var bufferedBytes = 0
        var informationalResponses = 0
        /// Whether the caller waits for a piece. It is then not counted as buffered.
        var isReaderWaiting = false
        /// How the exchange ended. Pieces that came before can still be read.
        var end: Result<Void, any Error>?
    }

    private static let headless = HTTPTransportError(
        .connectionLost, "The connection ended without a response.")

    private let maximumBufferedBytes: Int
    private let progress: (@Sendable (HTTPProgress) -> Void)?
    private let state = Watched(State())

    init(maximumBufferedBytes: Int, progress: (@Sendable (HTTPProgress) -> Void)?) {
        self.maximumBufferedBytes = maximumBufferedBytes
        self.progress = progress
    }

    // MARK: The caller's side

    /// Stores the task. Returns whether to run it.
    func begin(_ task: URLSessionTask) -> Bool {
        state.withLock { state in
            guard state.end == nil else { return false }
            state.task = task
            return true
        }
    }

    func head() async throws -> Head {
        try await wait { $0.head != nil || $0.end != nil }
        return try state.withLock { state in
            if let head = state.head { return head }
            try state.end?.get()
            throw Self.headless
        }
    }

    /// Waits for the next bytes of the body; `nil` at its end. All bytes that were received come as one piece.
    func next() async throws -> ArraySlice<UInt8>? {
        state.withLock { $0.isReaderWaiting = $0.pieces.isEmpty }
        try await wait { !$0.pieces.isEmpty || $0.end != nil }
        return try state.withLock { state in
            guard let piece = state.pieces.first else {
                try state.end?.get()
                return nil
            }
            let whole = state.pieces.count == 1 ? piece : ArraySlice(state.pieces.joined())
            state.pieces = []
            state.bufferedBytes = 0
            return whole
        }
    }

    /// Waits for a part of the response. The cancellation of the waiting task ends the exchange.
    private func wait(until isMet: @escaping @Sendable (State) -> Bool) async throws {
        try await withTaskCancellationHandler {
            _ = try await state.wait(until: isMet)
        } onCancel: {
            cancel(with: CancellationError())
        }
    }

    /// Ends the exchange and its task with an error. Has no effect if the exchange has ended.
    func cancel(with error: any Error) {
        let task = end(with: .failure(error), discardingPieces: true)
        task?.cancel()
    }

    // MARK: The delegate's side

    func receive(_ head: Head) {
        state.update { if $0.head == nil, $0.end == nil { $0.head = head } }
    }

    /// Takes an informational response (RFC 9110 §15.2). More than 256 of them end the exchange.
    func receiveInformationalResponse() {
        let limit = 256
        let isTooMany = state.withLock { state in
            state.informationalResponses += 1
            return state.informationalResponses > limit
        }
        guard isTooMany else { return }
        cancel(
            with: HTTPTransportError(
                .protocolViolation, "The server sent more than \(limit) informational responses (1xx)."))
    }

    func receive(_ data: Data) {
        guard !data.isEmpty else { return }
        let piece = ArraySlice(data)
        let isTooMuch = state.update { state in
            guard state.end == nil else { return false }
            if state.isReaderWaiting {
                state.isReaderWaiting = false
            } else {
                guard state.bufferedBytes + piece.count <= maximumBufferedBytes else { return true }
                state.bufferedBytes += piece.count
            }
            state.pieces.append(piece)
            return false
        }
        guard isTooMuch else { return }
        cancel(
            with: HTTPTransportError(
                .bodyTooLarge,
                "More than \(maximumBufferedBytes) bytes of the response were received before they were read. The "
                    + "option `maximumBufferedBytes` raises this."))
    }

    func reportSent(_ bytes: Int64, of total: Int64) {
        progress?(HTTPProgress(completedBytes: bytes, totalBytes: total >= 0 ? total : nil))
    }

    func complete(_ result: Result<Void, any Error>) { _ = end(with: result, discardingPieces: false) }

    private func end(with result: Result<Void, any Error>, discardingPieces: Bool) -> URLSessionTask? {
        state.update { state in
            guard state.end == nil else { return nil }
            state.end = result
            if discardingPieces { state.pieces = [] }
            return state.task.take()
        }
    }
}

/// The body of a response. Releasing it before its end closes the connection.
final class ExchangeBody: HTTPByteSource {
    private let exchange: Exchange
    /// Keeps the connections open while a body is read, even if the transport is released.
    private let session: SessionOwner

    init(_ exchange: Exchange, session: SessionOwner) {
        self.exchange = exchange
        self.session = session
    }

    deinit { exchange.cancel(with: CancellationError()) }

    func next() async throws -> ArraySlice<UInt8>? { try await exchange.next() }
}
