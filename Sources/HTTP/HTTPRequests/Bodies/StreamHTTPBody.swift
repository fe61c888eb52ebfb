// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A body that is produced while it is sent. The next piece is requested when the previous one has been sent.
public struct StreamHTTPBody: HTTPBody {
    /// The value of `Content-Type`; `nil` for none. The default is `application/octet-stream`.
    public var contentType: String?
    private let content: HTTPBodyEntity.Content

    /// Makes a body that can be sent once. A retry or a redirect that needs it again fails with the first outcome.
    ///
    /// - Parameters:
    ///   - sequence: The pieces, such as an `AsyncStream` of arrays, or an ``HTTPByteStream``.
    ///   - length: The number of bytes; `nil` if it is unknown. The default is `nil`. The request fails if the
    ///     sequence has more or fewer bytes.
    ///   - contentType: The value of `Content-Type`.
    public init<S: AsyncSequence & Sendable>(
        _ sequence: S, length: Int64? = nil, contentType: String? = "application/octet-stream"
    ) where S.Element: Sequence<UInt8> {
        let isUsed = Atomic(false)
        self.contentType = contentType
        content = .stream(length: length, isReplayable: false) {
            if isUsed.exchange(true, ordering: .relaxed) { throw HTTPBodyError.streamAlreadyUsed }
            return HTTPByteStream(SequenceByteSource(sequence), length: length)
        }
    }

    /// Makes a body that can be sent again.
    ///
    /// - Parameters:
    ///   - length: The number of bytes; `nil` if it is unknown. The default is `nil`. The request fails if a sequence
    ///     has more or fewer bytes.
    ///   - contentType: The value of `Content-Type`.
    ///   - make: Makes a sequence of the same bytes for each attempt.
    public init<S: AsyncSequence & Sendable>(
        length: Int64? = nil, contentType: String? = "application/octet-stream",
        make: @escaping @Sendable () async throws -> S
    ) where S.Element: Sequence<UInt8> {
        self.contentType = contentType
        content = .stream(length: length, isReplayable: true) {
            HTTPByteStream(SequenceByteSource(try await make()), length: length)
        }
    }

    /// Returns the stream. Nothing is read yet.
    ///
    /// - Throws: An ``HTTPBodyError`` if the announced length is negative.
    public func buildEntity() throws -> HTTPBodyEntity {
        let entity = HTTPBodyEntity(contentType: contentType, content: content)
        if let length = entity.length, length < 0 { throw HTTPBodyError.negativeLength(length) }
        return entity
    }
}

/// Reads a sequence piece by piece, and compares its length with the announced one.
actor SequenceByteSource<S: AsyncSequence & Sendable>: HTTPByteSource where S.Element: Sequence<UInt8> {
    private var iterator: S.AsyncIterator?
    private let announced: Int64?
    private var produced: Int64 = 0

    init(_ sequence: S, announced: Int64? = nil) {
        iterator = sequence.makeAsyncIterator()
        self.announced = announced
    }

    func next() async throws -> ArraySlice<UInt8>? {
        try Task.checkCancellation()
        guard var current = iterator.take() else { return nil }
        // An iterator must not be used again after it has thrown.
        guard let element = try await current.next(isolation: self) else {
            if let announced, produced < announced {
                throw HTTPBodyError.tooFewBytes(announced: announced, produced: produced)
            }
            return nil
        }
        let piece = ArraySlice(element)
        produced += Int64(piece.count)
        if let announced, produced > announced { throw HTTPBodyError.tooManyBytes(announced: announced) }
        iterator = current
        return piece
    }
}
