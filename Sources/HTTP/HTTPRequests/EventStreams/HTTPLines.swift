// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The lines of a stream of UTF-8 text. LF, or CR and LF, end a line.
///
/// The stream is read on demand, so a slow consumer slows the server. Text after the last line break is a line, too. A
/// stream can be read once.
public struct HTTPLines: AsyncSequence, Sendable {
    private let stream: HTTPByteStream
    private let maximumLineBytes: Int

    /// Makes a sequence of lines.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - maximumLineBytes: The largest size of a line, without its line break. The default is 1 MiB.
    public init(_ stream: HTTPByteStream, maximumLineBytes: Int = 1 << 20) {
        self.stream = stream
        self.maximumLineBytes = maximumLineBytes
    }

    /// Starts reading. Only the first iterator of a stream gets its lines.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            reader: LineReader(stream, ending: .lineFeed, maximumLineBytes: maximumLineBytes),
            maximumLineBytes: maximumLineBytes)
    }

    /// Reads the lines one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var reader: LineReader
        fileprivate let maximumLineBytes: Int
        fileprivate var number = 0

        /// Returns the next line without its line break; `nil` at the end.
        ///
        /// - Throws: An ``HTTPLinesError``; an error of the stream. An error ends the sequence, except
        ///   ``HTTPLinesError/invalidUTF8(line:)``, after which the next line can be read.
        public mutating func next() async throws -> String? {
            guard let bytes = try await nextBytes() else { return nil }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw HTTPLinesError.invalidUTF8(line: number)
            }
            return text
        }

        /// Returns the bytes of the next line without its line break; `nil` at the end.
        ///
        /// - Throws: An ``HTTPLinesError``; an error of the stream. An error ends the sequence.
        public mutating func nextBytes() async throws -> ArraySlice<UInt8>? {
            number += 1
            do {
                return try await reader.next()?.bytes
            } catch is LineReader.LineTooLong {
                throw HTTPLinesError.lineTooLong(line: number, limit: maximumLineBytes)
            }
        }
    }
}

/// A stream that cannot be read as lines. Lines are counted from 1.
public enum HTTPLinesError: Error, Sendable, Hashable {
    /// The line has more bytes than the limit.
    case lineTooLong(line: Int, limit: Int)
    /// The line is not UTF-8.
    case invalidUTF8(line: Int)
}

extension HTTPLinesError: CustomStringConvertible {
    /// The line and its fault.
    public var description: String {
        switch self {
        case .lineTooLong(let line, let limit):
            "Line \(line) has more than \(limit) bytes. `maximumLineBytes` raises the limit."
        case .invalidUTF8(let line): "Line \(line) is not UTF-8."
        }
    }
}

extension HTTPByteStream {
    /// Returns the lines of the stream. The default limit for a line is 1 MiB.
    public func lines(maximumLineBytes: Int = 1 << 20) -> HTTPLines {
        HTTPLines(self, maximumLineBytes: maximumLineBytes)
    }
}
