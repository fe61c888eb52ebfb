// swift-jsonrpc · SPDX-License-Identifier: MIT

extension HTTPBodyEntity {
    /// The number of bytes; `nil` if it is unknown, or if the file cannot be examined.
    ///
    /// The size of a file is asked from the file system each time. A transport that calls ``makeStream()`` takes
    /// ``HTTPByteStream/length`` instead, since the file can change in between.
    public var length: Int64? {
        switch content {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let path): try? FileByteSource.size(ofFileAt: path)
        case .stream(let length, _, _): length
        }
    }

    /// Makes a stream of the bytes, for one attempt to send them.
    ///
    /// The stream knows its length if the length is known. A file or a stream that turns out to have more or fewer bytes
    /// makes the stream throw an ``HTTPBodyError``; no byte beyond the announced length is returned.
    ///
    /// Files are read in pieces of 64 KiB, on a thread that may block.
    ///
    /// - Throws: An ``HTTPBodyError`` if a file cannot be opened or a stream was read before; the error of the closure that
    ///   makes the stream.
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
