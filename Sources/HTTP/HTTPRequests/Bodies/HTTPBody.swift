// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A body of a request, before it is turned into bytes.
///
/// A body is a value that can be compared and logged in a test. A session calls ``buildEntity()`` once for each
/// request, before any byte is sent, and uses the entity for all attempts.
public protocol HTTPBody: Sendable {
    /// Makes the content that a transport sends, and its `Content-Type`.
    ///
    /// - Throws: An error if the value cannot be represented in this body's format. The request then fails before
    ///   anything is sent.
    func buildEntity() throws -> HTTPBodyEntity
}

/// The absence of a body. The request sends neither content nor `Content-Type`.
public struct NoHTTPBody: HTTPBody, Hashable {
    public init() {}

    /// Returns an entity without bytes and without a content type.
    public func buildEntity() -> HTTPBodyEntity { HTTPBodyEntity(content: .bytes([])) }
}

/// A body of a request, ready to be sent.
public struct HTTPBodyEntity: Sendable {
    /// The bytes or their source.
    public enum Content: Sendable {
        /// Bytes in memory.
        case bytes([UInt8])
        /// A file, which is read while it is sent. The path is absolute, or relative to the current directory.
        case file(path: String)
        /// A stream. The closure makes it, once for each attempt.
        ///
        /// - Parameters:
        ///   - length: The number of bytes; `nil` if it is unknown. A stream of another length fails the request.
        ///   - isReplayable: Whether the closure can be called again and makes a stream of the same bytes.
        ///   - make: Makes the stream.
        case stream(length: Int64?, isReplayable: Bool, make: @Sendable () async throws -> HTTPByteStream)
    }

    /// The value of `Content-Type`; `nil` for none.
    public var contentType: String?
    /// The content.
    public var content: Content

    public init(contentType: String? = nil, content: Content) {
        self.contentType = contentType
        self.content = content
    }

    /// Whether the body can be sent again. Retries need that, and redirects that keep the body.
    public var isReplayable: Bool {
        if case .stream(_, let isReplayable, _) = content { isReplayable } else { true }
    }
}

extension HTTPBodyEntity {
    /// The number of bytes; `nil` if it is unknown, or if the file cannot be examined.
    ///
    /// The size of a file is read from the file system each time. The file can change in between, so a transport that
    /// calls ``makeStream()`` uses ``HTTPByteStream/length``.
    public var length: Int64? {
        switch content {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let path): try? FileByteSource.size(ofFileAt: path)
        case .stream(let length, _, _): length
        }
    }

    /// Makes a stream of the bytes, for one attempt to send them.
    ///
    /// The stream knows its length if the length is known. It throws an ``HTTPBodyError`` if the file or the stream has
    /// more or fewer bytes, and returns no byte beyond the announced length.
    ///
    /// Files are read in pieces of 64 KiB, on a thread that may block.
    ///
    /// - Throws: An ``HTTPBodyError`` if a file cannot be opened or a stream was read before; the error of the closure
    ///   that makes the stream.
    public func makeStream() async throws -> HTTPByteStream {
        switch content {
        case .bytes(let bytes):
            return HTTPByteStream(bytes)
        case .file(let path):
            let source = try await FileByteSource.open(path)
            return HTTPByteStream(source, length: source.length)
        case .stream(let length, _, let make):
            if let length, length < 0 { throw HTTPBodyError.negativeLength(length) }
            let stream = try await make()
            guard let length else { return stream }
            return HTTPByteStream(SequenceByteSource(stream, announced: length), length: length)
        }
    }
}
