// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import Synchronization

extension HTTPByteStream {
    /// Writes the stream to a file. Memory holds one piece at a time.
    ///
    /// The bytes go to a temporary file in the same directory. It replaces `path` when the stream has ended, so the
    /// file at `path` is either complete or unchanged. After an error or a cancellation, the temporary file is removed.
    ///
    /// - Parameters:
    ///   - path: The path of the file. An existing file is replaced. The directory must exist.
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

/// A temporary file that replaces another one when it is complete, or else is removed when it is released.
private final class TemporaryFile: Sendable {
    private let path: String
    private let finalPath: String
    private let descriptor: Int32
    private let isMoved = Atomic(false)

    private init(path: String, finalPath: String, descriptor: Int32) {
        self.path = path
        self.finalPath = finalPath
        self.descriptor = descriptor
    }

    deinit {
        _ = close(descriptor)
        if !isMoved.load(ordering: .relaxed) { _ = unlink(path) }
    }

    /// Creates a file in the directory of `finalPath`, with a random name.
    static func create(besides finalPath: String) throws(HTTPBodyError) -> TemporaryFile {
        let name = FileExtensions.name(ofPath: finalPath)
        // The C library would end the path at a NUL. A path with a slash at its end names a directory.
        guard !name.isEmpty, finalPath.utf8.last != UInt8(ascii: "/"), !finalPath.utf8.contains(0) else {
            throw .unwritableFile(path: finalPath, reason: "it does not name a file")
        }
        var random = SystemRandomNumberGenerator()
        let directory = finalPath.utf8.dropLast(name.utf8.count)
        while true {
            let suffix = String(random.next(), radix: 36)
            let path = String(Substring(directory)) + ".download-" + suffix
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor >= 0 { return TemporaryFile(path: path, finalPath: finalPath, descriptor: descriptor) }
            let code = errno
            guard code == EEXIST || code == EINTR else {
                throw .unwritableFile(path: finalPath, reason: BlockingThreads.reason(code))
            }
        }
    }

    func write(_ bytes: ArraySlice<UInt8>) throws(HTTPBodyError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            let code = errno
            if count < 0, code == EINTR { continue }
            guard count > 0 else {
                throw .unwritableFile(path: finalPath, reason: BlockingThreads.reason(count < 0 ? code : EIO))
            }
            rest = rest.dropFirst(count)
        }
    }

    func move() throws(HTTPBodyError) {
        guard rename(path, finalPath) == 0 else {
            throw .unwritableFile(path: finalPath, reason: BlockingThreads.reason(errno))
        }
        isMoved.store(true, ordering: .relaxed)
    }
}
