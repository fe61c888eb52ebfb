// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Whole files, for the options that name one.
enum FileBytes {
    /// Everything in the file.
    ///
    /// - Throws: ``UsageError`` with the system's reason.
    static func contents(of path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw UsageError("Cannot open \(path): \(SystemFailure.text(errno)).") }
        defer { close(descriptor) }
        return try readAll(descriptor, named: path)
    }

    /// Standard input up to its end.
    static func standardInput() throws -> [UInt8] {
        try readAll(STDIN_FILENO, named: "standard input")
    }

    /// Creates the file, or empties it, and writes all of it.
    static func store(_ bytes: [UInt8], at path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw UsageError("Cannot create \(path): \(SystemFailure.text(errno)).") }
        defer { close(descriptor) }
        if let failure = DescriptorWriter.write(bytes, to: descriptor) {
            throw UsageError("Cannot write \(path): \(SystemFailure.text(failure)).")
        }
    }

    private static func readAll(_ descriptor: Int32, named name: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes.append(contentsOf: chunk[..<count])
            } else if count == 0 {
                return bytes
            } else if errno != EINTR {
                throw UsageError("Cannot read \(name): \(SystemFailure.text(errno)).")
            }
        }
    }
}
