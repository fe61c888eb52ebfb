// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// The file of the lines that were entered before, oldest first. Only its owner can read it.
///
/// Without a usable file there is no history. This is not an error.
struct HistoryFile: Sendable {
    static let maximumLines = 1000
    static let maximumLineBytes = 16 << 10
    /// The largest file that is read, in bytes. A larger file is not a history.
    private static let maximumFileBytes = 64 << 20

    var path: String

    /// The default path: `$XDG_STATE_HOME/jsonrpc/history`, or `~/.local/state/jsonrpc/history`; `nil` without a home.
    static var defaultPath: String? {
        // The XDG Base Directory Specification ignores relative paths.
        if let state = Environment.value("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/jsonrpc/history" }
        return Environment.value("HOME").map { $0 + "/.local/state/jsonrpc/history" }
    }

    /// Returns whether a line is kept in the history. A line that begins with a blank is not; it can have a secret.
    static func keeps(_ line: String, after last: String?) -> Bool {
        guard let first = line.first, line != last, line.utf8.count <= maximumLineBytes else { return false }
        return !first.isWhitespace && !line.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// Returns the newest lines of a file's text, oldest first.
    static func lines(of text: String) -> [String] {
        var lines: [String] = []
        for line in text.split(separator: "\n").map(String.init) where keeps(line, after: lines.last) {
            lines.append(line)
        }
        return lines.suffix(maximumLines)
    }

    /// Reads the lines. A file that has grown to twice the limit is shortened.
    func load() -> [String] {
        guard let bytes = contents() else { return [] }
        let lines = Self.lines(of: String(decoding: bytes, as: UTF8.self))
        if bytes.count(where: { $0 == 0x0A }) > 2 * Self.maximumLines { replace(with: lines) }
        return lines
    }

    func append(_ line: String) {
        let descriptor = openForWriting(path, O_APPEND)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = DescriptorWriter.write(Array((line + "\n").utf8), to: descriptor)
    }

    /// Makes the folder of the file, for the user only.
    func makeFolder() {
        let parts = path.split(separator: "/").dropLast()
        var folder = path.hasPrefix("/") ? "" : "."
        for part in parts {
            folder += "/" + part
            mkdir(folder, 0o700)
        }
    }

    private func contents() -> [UInt8]? {
        // A FIFO must not block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= Self.maximumFileBytes
        else { return nil }
        return try? FileBytes.readAll(descriptor, named: path)
    }

    /// Replaces the file in one step, so that another process never reads a part of it.
    private func replace(with lines: [String]) {
        let new = "\(path).\(getpid())"
        let descriptor = openForWriting(new, O_TRUNC)
        guard descriptor >= 0 else { return }
        let failure = DescriptorWriter.write(Array(lines.map { $0 + "\n" }.joined().utf8), to: descriptor)
        close(descriptor)
        if failure != nil || rename(new, path) != 0 { unlink(new) }
    }

    private func openForWriting(_ path: String, _ flags: Int32) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | flags, 0o600)
        // A file that exists keeps its mode. Devices and pipes are left as they are.
        var status = stat()
        if descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            _ = fchmod(descriptor, 0o600)
        }
        return descriptor
    }
}
