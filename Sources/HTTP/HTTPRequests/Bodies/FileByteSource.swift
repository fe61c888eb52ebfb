// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Glibc

/// Reads a file of fixed size in pieces, on threads that may block.
struct FileByteSource: HTTPByteSource {
    private static let pieceSize: Int64 = 64 << 10

    private let file: OpenFile
    /// The size at the time of opening.
    let length: Int64
    private var remaining: Int64

    private init(_ file: OpenFile, length: Int64) {
        self.file = file
        self.length = length
        remaining = length
    }

    /// Opens a file.
    ///
    /// - Throws: An ``HTTPBodyError`` if there is no regular file that can be read.
    static func open(_ path: String) async throws -> FileByteSource {
        try Task.checkCancellation()
        return try await BlockingThreads.run { try openNow(path) }
    }

    static func size(ofFileAt path: String) throws(HTTPBodyError) -> Int64 { try openNow(path).length }

    private static func openNow(_ path: String) throws(HTTPBodyError) -> FileByteSource {
        // The C library would end the path at a NUL.
        guard !path.utf8.contains(0) else { throw .fileNotFound(path: path) }
        // Without O_NONBLOCK, opening a pipe waits for its writer.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            throw code == ENOENT || code == ENOTDIR
                ? .fileNotFound(path: path) : .unreadableFile(path: path, reason: BlockingThreads.reason(code))
        }
        let file = OpenFile(path: path, descriptor: descriptor)
        var status = stat()
        let failure = fstat(descriptor, &status) == 0 ? 0 : errno
        guard failure == 0 else { throw .unreadableFile(path: path, reason: BlockingThreads.reason(failure)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile(path: path) }
        return FileByteSource(file, length: Int64(status.st_size))
    }

    mutating func next() async throws -> ArraySlice<UInt8>? {
        try Task.checkCancellation()
        // After the last byte, try to read one more, so that a file that has grown is detected.
        let wanted = remaining == 0 ? 1 : Int(min(remaining, Self.pieceSize))
        let piece = try await BlockingThreads.run { [file] in try file.read(wanted) }
        if remaining == 0 {
            guard piece.isEmpty else { throw HTTPBodyError.tooManyBytes(announced: length) }
            return nil
        }
        if piece.isEmpty { throw HTTPBodyError.tooFewBytes(announced: length, produced: length - remaining) }
        remaining -= Int64(piece.count)
        return piece[...]
    }
}

/// A file that is closed when it is released.
private final class OpenFile: Sendable {
    private let path: String
    private let descriptor: Int32

    init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { _ = close(descriptor) }

    /// Reads at most a number of bytes; none at the end.
    func read(_ count: Int) throws(HTTPBodyError) -> [UInt8] {
        var failure: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var result: Int
            repeat {
                result = Glibc.read(descriptor, buffer.baseAddress, count)
            } while result < 0 && errno == EINTR
            if result < 0 { failure = errno }
            filled = max(result, 0)
        }
        if failure != 0 { throw .unreadableFile(path: path, reason: BlockingThreads.reason(failure)) }
        return piece
    }
}

/// Threads for calls that block, such as reading a file. A task must not block its thread.
enum BlockingThreads {
    private static let queue = DispatchQueue(
        label: "HTTPRequests.files", qos: .userInitiated, attributes: .concurrent)

    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
