// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Glibc

/// Threads for calls that block, such as reading a file. A task must not block its thread.
enum BlockingThreads {
    private static let queue = DispatchQueue(
        label: "HTTPRequests.files", qos: .userInitiated, attributes: .concurrent)

    /// Runs a closure on such a thread.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Explains an error number of the C library.
    static func reason(_ code: Int32) -> String {
        switch code {
        case EACCES, EPERM: "permission denied"
        case EDQUOT, ENOSPC: "no space left on the device"
        case EFBIG: "the file is too large"
        case EIO: "input/output error"
        case EISDIR: "it is a directory"
        case ELOOP: "too many symbolic links"
        case EMFILE, ENFILE: "too many open files"
        case ENAMETOOLONG: "the name is too long"
        case ENOENT: "no such file or directory"
        case ENOTDIR: "a part of the path is not a directory"
        case EROFS: "the file system is read-only"
        default: "error \(code)"
        }
    }
}
