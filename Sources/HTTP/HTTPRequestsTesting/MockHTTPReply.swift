// swift-jsonrpc · SPDX-License-Identifier: MIT

public import HTTPRequests
public import HTTPTypes
import TaskWaits

/// The answer of a ``MockHTTPTransport``.
public struct MockHTTPReply: Sendable {
    package let answer: @Sendable (ReceivedHTTPRequest) async throws -> ReceivedHTTPResponse

    /// Makes an answer from a closure, which gets the request.
    public init(_ answer: @escaping @Sendable (ReceivedHTTPRequest) async throws -> ReceivedHTTPResponse) {
        self.answer = answer
    }

    /// A status, and a body in one piece.
    public static func status(_ code: Int, fields: HTTPFields = [:], body: [UInt8] = []) -> Self {
        Self { _ in .init(HTTPResponse(status: .init(code: code), headerFields: fields), body: HTTPByteStream(body)) }
    }

    /// A text, without a content type.
    public static func text(_ text: String, status: Int = 200, fields: HTTPFields = [:]) -> Self {
        .status(status, fields: fields, body: Array(text.utf8))
    }

    /// JSON, with its content type.
    public static func json(_ text: String, status: Int = 200, fields: HTTPFields = [:]) -> Self {
        var fields = fields
        fields[.contentType] = "application/json"
        return .status(status, fields: fields, body: Array(text.utf8))
    }

    /// A body in pieces, after which the connection may fail.
    ///
    /// - Parameters:
    ///   - pieces: The pieces.
    ///   - status: The status code.
    ///   - fields: The header fields.
    ///   - length: The length that the head announces; `nil` for none.
    ///   - end: The error after the last piece; `nil` for a proper end.
    public static func pieces(
        _ pieces: [[UInt8]], status: Int = 200, fields: HTTPFields = [:], length: Int64? = nil,
        end: (any Error)? = nil
    ) -> Self {
        .stream(PieceSource(pieces: pieces[...], end: end), status: status, fields: fields, length: length)
    }

    /// A body from a source, such as an ``HTTPPieceFeed``.
    public static func stream(
        _ source: some HTTPByteSource, status: Int = 200, fields: HTTPFields = [:], length: Int64? = nil
    ) -> Self {
        Self { _ in
            let head = HTTPResponse(status: .init(code: status), headerFields: fields)
            return ReceivedHTTPResponse(head, body: HTTPByteStream(source, length: length))
        }
    }

    /// An error in place of a response.
    public static func failure(_ error: any Error) -> Self { Self { _ in throw error } }

    /// No answer, until the request is cancelled.
    public static var none: Self {
        Self { _ in
            try await HTTPGate().pass()
            throw CancellationError()
        }
    }

    /// An answer that waits until a gate is opened.
    public static func held(by gate: HTTPGate, then reply: Self) -> Self {
        Self { request in
            try await gate.pass()
            return try await reply.answer(request)
        }
    }
}

/// A gate that a test opens.
public final class HTTPGate: Sendable {
    private let signal = OneTimeSignal()

    /// Makes a closed gate.
    public init() {}

    /// Opens the gate permanently.
    public func open() { signal.fulfil() }

    /// Waits until the gate is open.
    ///
    /// - Throws: A `CancellationError` if the task is cancelled.
    public func pass() async throws {
        try Task.checkCancellation()
        try await signal.wait()
    }
}

/// A body whose pieces a test sends.
public final class HTTPPieceFeed: HTTPByteSource {
    private let stream: AsyncThrowingStream<[UInt8], any Error>
    private let continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation
    private let reads = Watched(0)

    /// Makes a body without pieces.
    public init() { (stream, continuation) = AsyncThrowingStream.makeStream() }

    /// Sends a piece without waiting for the reader. It has no effect after ``finish(throwing:)``.
    public func send(_ piece: [UInt8]) { continuation.yield(piece) }

    /// Ends the body, with an error if one is given.
    public func finish(throwing error: (any Error)? = nil) { continuation.finish(throwing: error) }

    /// Waits until the reader has asked for a number of pieces.
    ///
    /// - Throws: An ``HTTPWaitCancelled`` if the task is cancelled.
    public func waitForReads(_ count: Int) async throws {
        try await reads.wait(for: "\(count) reads of a body", instead: { "there were \($0)" }) { $0 >= count }
    }

    public func next() async throws -> ArraySlice<UInt8>? {
        reads.update { $0 += 1 }
        var pieces = stream.makeAsyncIterator()
        let piece = try await pieces.next()
        // The stream ends without an error when its reader is cancelled.
        if piece == nil { try Task.checkCancellation() }
        return piece?[...]
    }
}

private struct PieceSource: HTTPByteSource {
    var pieces: ArraySlice<[UInt8]>
    let end: (any Error)?

    mutating func next() async throws -> ArraySlice<UInt8>? {
        if let piece = pieces.popFirst() { return piece[...] }
        if let end { throw end }
        return nil
    }
}

extension HTTPBodyEntity {
    /// Reads the content as a transport does.
    func bytes(reportingTo progress: (@Sendable (HTTPProgress) -> Void)?) async throws -> [UInt8] {
        let stream = try await makeStream()
        var bytes: [UInt8] = []
        for try await piece in stream {
            bytes += piece
            progress?(HTTPProgress(completedBytes: Int64(bytes.count), totalBytes: stream.length))
        }
        return bytes
    }
}
