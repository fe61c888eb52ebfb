// swift-jsonrpc · SPDX-License-Identifier: MIT

extension HTTPByteStream {
    /// Writes the stream to a file. Memory holds one piece at a time.
    ///
    /// The bytes go to a temporary file in the same directory. It takes the place of `path` when the stream has ended, so
    /// the file at `path` is whole or as it was before. After an error or a cancellation, the temporary file is
    /// removed.
    ///
    /// - Parameters:
    ///   - path: The path of the file. An existing file is replaced. The directory exists.
    ///   - limit: The largest number of bytes; `nil` for no limit. The default is `nil`.
    /// - Returns: The number of bytes.
    /// - Throws: An ``HTTPBodyError`` if the file cannot be written or the stream is longer than `limit`; the errors of
    ///   the stream.
    @discardableResult
    public func save(toFile path: String, limit: Int64? = nil) async throws -> Int64 {
        if let limit, let length, length > limit { throw HTTPBodyError.tooLargeToSave(limit: limit) }
        let file = try await BlockingThreads.run { try TemporaryFile.create(besides: path) }
        var saved: Int64 = 0
        for try await piece in self {
            saved += Int64(piece.count)
            if let limit, saved > limit { throw HTTPBodyError.tooLargeToSave(limit: limit) }
            try await BlockingThreads.run { try file.write(piece) }
        }
        try Task.checkCancellation()
        try await BlockingThreads.run { try file.move() }
        return saved
    }
}
