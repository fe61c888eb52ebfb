// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import HTTPRequests
import HTTPTypes
import Synchronization

/// A request and its response, between the session's delegate and the waiting caller.
final class Exchange: Sendable {
    struct Head: Sendable {
        var response: HTTPResponse
        /// The announced length of the body; `nil` if it is unknown.
        var length: Int64?
    }
    private typealias HeadWaiter = CheckedContinuation<Head, any Error>
    private typealias PieceWaiter = CheckedContinuation<ArraySlice<UInt8>?, any Error>

    private struct State {
        var task: URLSessionTask?
        var head: Head?
        var headWaiter: HeadWaiter?
        var pieces: [ArraySlice<UInt8>] = []
        var bufferedBytes = 0
        var informationalResponses = 0
        var pieceWaiter: PieceWaiter?
        /// How the exchange ended. Pieces that came before can still be read.
        var end: Result<Void, any Error>?
    }

    private static let headless = HTTPTransportError(
        .connectionLost, "The connection ended without a response.")

    private let maximumBufferedBytes: Int
    private let progress: (@Sendable (HTTPProgress) -> Void)?
    private let state = Mutex(State())

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
        try await wait { (waiter: HeadWaiter) in
            let result = state.withLock { state -> Result<Head, any Error>? in
                if let head = state.head { return .success(head) }
                if let end = state.end { return end.flatMap { .failure(Self.headless) } }
                state.headWaiter = waiter
                return nil
            }
            if let result { waiter.resume(with: result) }
        }
    }

    /// Waits for the next bytes of the body; `nil` at its end. All bytes that were received come as one piece.
    func next() async throws -> ArraySlice<UInt8>? {
        try await wait { (waiter: PieceWaiter) in
            let result = state.withLock { state -> Result<ArraySlice<UInt8>?, any Error>? in
                if let piece = state.pieces.first {
                    let whole = state.pieces.count == 1 ? piece : ArraySlice(state.pieces.joined())
                    state.pieces = []
                    state.bufferedBytes = 0
                    return .success(whole)
                }
                if let end = state.end { return end.map { nil } }
                state.pieceWaiter = waiter
                return nil
            }
            if let result { waiter.resume(with: result) }
        }
    }

    /// Waits for a part of the response. The cancellation of the waiting task ends the exchange.
    private func wait<Part: Sendable>(
        for part: (CheckedContinuation<Part, any Error>) -> Void
    ) async throws -> Part {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { part($0) }
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
        let waiter = state.withLock { state -> HeadWaiter? in
            guard state.head == nil, state.end == nil else { return nil }
            state.head = head
            return state.headWaiter.take()
        }
        waiter?.resume(returning: head)
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
        var isTooMuch = false
        let waiter = state.withLock { state -> PieceWaiter? in
            guard state.end == nil else { return nil }
            if let waiter = state.pieceWaiter.take() { return waiter }
            isTooMuch = state.bufferedBytes + piece.count > maximumBufferedBytes
            guard !isTooMuch else { return nil }
            state.pieces.append(piece)
            state.bufferedBytes += piece.count
            return nil
        }
        waiter?.resume(returning: piece)
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
        let (head, piece, task) = state.withLock { state -> (HeadWaiter?, PieceWaiter?, URLSessionTask?) in
            guard state.end == nil else { return (nil, nil, nil) }
            state.end = result
            if discardingPieces { state.pieces = [] }
            return (state.headWaiter.take(), state.pieceWaiter.take(), state.task.take())
        }
        head?.resume(with: result.flatMap { .failure(Self.headless) })
        piece?.resume(with: result.map { nil })
        return task
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
