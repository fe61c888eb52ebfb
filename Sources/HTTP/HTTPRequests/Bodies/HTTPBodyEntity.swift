// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A body of a request, ready to be sent.
public struct HTTPBodyEntity: Sendable {
    /// The bytes, or where they come from.
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

    /// Whether the body can be sent again. Retries and redirects that keep the body need that.
    public var isReplayable: Bool {
        if case .stream(_, let isReplayable, _) = content { isReplayable } else { true }
    }
}
