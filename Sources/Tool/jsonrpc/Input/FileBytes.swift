// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import ToolSupport

/// Reads and writes whole files, for options that take a file. Failures have the reason of the system.
enum FileBytes {
    /// Reads a file. Throws ``UsageError`` if it is larger than a limit.
    static func contents(of path: String, atMost limit: Int = .max) throws -> [UInt8] {
        try Interrupts.whileReading {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw UsageError("Could not open \(path): \(SystemFailure.text(errno)).") }
            defer { close(descriptor) }
            return try readAll(descriptor, named: path, atMost: limit)
        }
    }

    static func standardInput() throws -> [UInt8] {
        try Interrupts.whileReading { try readAll(STDIN_FILENO, named: "standard input") }
    }

    /// Creates a file if there is none, and leaves its contents as they are.
    static func checkWritable(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw UsageError("Could not create \(path): \(SystemFailure.text(errno)).") }
        close(descriptor)
    }

    /// Returns whether two paths name the same regular file, also through links.
    static func isSameFile(_ left: String, _ right: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(left, &first) == 0, stat(right, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino && first.st_mode & S_IFMT == S_IFREG
    }

    /// Creates a file, or replaces its contents.
    static func store(_ bytes: [UInt8], at path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw UsageError("Could not create \(path): \(SystemFailure.text(errno)).") }
        defer { close(descriptor) }
        if let failure = DescriptorWriter.write(bytes, to: descriptor) {
            throw UsageError("Could not write \(path): \(SystemFailure.text(failure)).")
        }
    }

    static func readAll(_ descriptor: Int32, named name: String, atMost limit: Int = .max) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes.append(contentsOf: chunk[..<count])
                guard bytes.count <= limit else {
                    throw UsageError("Could not read \(name): it is larger than \(limit) bytes.")
                }
            } else if count == 0 {
                return bytes
            } else if errno != EINTR {
                throw UsageError("Could not read \(name): \(SystemFailure.text(errno)).")
            }
        }
    }
}
