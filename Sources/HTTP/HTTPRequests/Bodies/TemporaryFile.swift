// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// A new file that takes the place of another one when it is complete. Otherwise it is removed when it is released.
final class TemporaryFile: Sendable {
    private let path: String
    private let finalPath: String
    private let descriptor: Int32
    private let isMoved = Mutex(false)

    private init(path: String, finalPath: String, descriptor: Int32) {
        self.path = path
        self.finalPath = finalPath
        self.descriptor = descriptor
    }

    deinit {
        _ = close(descriptor)
        if !isMoved.withLock({ $0 }) { _ = unlink(path) }
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

    /// Appends bytes.
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

    /// Gives the file its final name.
    func move() throws(HTTPBodyError) {
        guard rename(path, finalPath) == 0 else {
            throw .unwritableFile(path: finalPath, reason: BlockingThreads.reason(errno))
        }
        isMoved.withLock { $0 = true }
    }
}
