// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// Reads a file of fixed size in pieces, on threads that may block.
final class FileByteSource: HTTPByteSource {
    private static let pieceSize = 64 << 10

    private let path: String
    private let descriptor: Int32
    /// The size at the time of opening.
    let length: Int64
    private let remaining: Mutex<Int64>

    private init(path: String, descriptor: Int32, length: Int64) {
        self.path = path
        self.descriptor = descriptor
        self.length = length
        remaining = Mutex(length)
    }

    deinit { _ = close(descriptor) }

    /// Opens a file.
    ///
    /// - Throws: An ``HTTPBodyError`` if there is no regular file that can be read.
    static func open(_ path: String) async throws -> FileByteSource {
        try Task.checkCancellation()
        return try await BlockingThreads.run { try openNow(path) }
    }

    /// Opens a file on the current thread.
    static func openNow(_ path: String) throws(HTTPBodyError) -> FileByteSource {
        // The C library would end the path at a NUL.
        guard !path.utf8.contains(0) else { throw .fileNotFound(path: path) }
        // Without O_NONBLOCK, opening a pipe waits for its writer.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            throw code == ENOENT || code == ENOTDIR
                ? .fileNotFound(path: path) : .unreadableFile(path: path, reason: BlockingThreads.reason(code))
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            _ = close(descriptor)
            throw .unreadableFile(path: path, reason: BlockingThreads.reason(code))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            _ = close(descriptor)
            throw .notARegularFile(path: path)
        }
        return FileByteSource(path: path, descriptor: descriptor, length: Int64(status.st_size))
    }

    /// The size of a regular file that can be read.
    static func size(ofFileAt path: String) throws(HTTPBodyError) -> Int64 { try openNow(path).length }

    func next() async throws -> ArraySlice<UInt8>? {
        try Task.checkCancellation()
        return try await BlockingThreads.run { try self.nextNow() }
    }

    private func nextNow() throws(HTTPBodyError) -> ArraySlice<UInt8>? {
        let remaining = remaining.withLock { $0 }
        // After the last byte, one more is asked for: a file that has grown is not sent in part.
        let wanted = remaining == 0 ? 1 : Int(min(remaining, Int64(Self.pieceSize)))
        var failure: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            var result: Int
            repeat { result = read(descriptor, buffer.baseAddress, wanted) } while result < 0 && errno == EINTR
            if result < 0 { failure = errno }
            count = max(result, 0)
        }
        if failure != 0 { throw .unreadableFile(path: path, reason: BlockingThreads.reason(failure)) }
        if remaining == 0 {
            guard piece.isEmpty else { throw .tooManyBytes(announced: length) }
            return nil
        }
        if piece.isEmpty { throw .tooFewBytes(announced: length, produced: length - remaining) }
        self.remaining.withLock { $0 -= Int64(piece.count) }
        return piece[...]
    }
}
