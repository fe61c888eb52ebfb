// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// Reads a stored recording in pieces, so that a hostile file takes no more memory than the limits allow.
struct RecordingReader {
    private let limits: SessionRecording.Limits
    private var events: [SessionRecording.Event] = []
    /// The beginning of a line whose end was not read.
    private var begun: [UInt8] = []
    private var byteCount = 0
    private var line = 1

    init(limits: SessionRecording.Limits) { self.limits = limits }

    mutating func read(_ bytes: ArraySlice<UInt8>) throws(RecordingError) {
        byteCount += bytes.count
        guard byteCount <= limits.maximumBytes else {
            throw exceeded("the recording has more than \(limits.maximumBytes) bytes (Limits.maximumBytes)")
        }
        var rest = bytes
        while let end = rest.firstIndex(of: 0x0A) {
            try append(rest[..<end])
            try endLine()
            rest = rest[(end + 1)...]
        }
        try append(rest)
    }

    /// Returns the events after the last piece.
    mutating func finish() throws(RecordingError) -> [SessionRecording.Event] {
        if !begun.isEmpty { try endLine() }
        guard line > 1 else {
            throw RecordingError(code: .notARecording, line: 1, reason: "the recording is empty")
        }
        return events
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws(RecordingError) {
        guard begun.count + bytes.count <= limits.maximumLineBytes else {
            throw exceeded("it has more than \(limits.maximumLineBytes) bytes (Limits.maximumLineBytes)")
        }
        begun += bytes
    }

    private mutating func endLine() throws(RecordingError) {
        do throws(RecordingLine.Fault) {
            if line == 1 {
                try RecordingLine.checkHeader(begun[...], limits.json)
            } else if !begun.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == 0x0D }) {
                events.append(try RecordingLine.event(in: begun[...], limits.json))
            }
        } catch {
            throw RecordingError(code: error.code, line: line, reason: error.reason)
        }
        guard events.count <= limits.maximumEvents else {
            throw exceeded("there are more than \(limits.maximumEvents) events (Limits.maximumEvents)")
        }
        begun = []
        line += 1
    }

    private func exceeded(_ reason: String) -> RecordingError {
        RecordingError(code: .limitExceeded, line: line, reason: reason)
    }
}

extension SessionRecording {
    /// Reads a recording from a file, in pieces. It blocks the thread while it reads.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - limits: The limits, which protect the program that reads a recording of others.
    /// - Throws: A ``RecordingError``, with the number of the line if the file can be read.
    public init(contentsOfFile path: String, limits: Limits = Limits()) throws(RecordingError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open") }
        defer { close(descriptor) }
        var reader = RecordingReader(limits: limits)
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { break }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("read") }
            try reader.read(buffer[..<count])
        }
        events = try reader.finish()
    }

    /// Writes the recording to a file, which is replaced if it exists. It blocks the thread while it writes.
    ///
    /// Only the owner can read the file, because messages may hold secrets. If the file exists, its mode is changed.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: A ``RecordingError`` with the code ``RecordingError/Code/file``.
    public func write(toFile path: String) throws(RecordingError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("open") }
        defer { close(descriptor) }
        // A file that is replaced keeps its mode. Devices and pipes are left as they are.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFREG || fchmod(descriptor, 0o600) == 0
        else { throw Self.failure("fchmod") }
        for line in [Self.header] + events.map(Self.line) {
            var rest = line[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw Self.failure("write") }
                rest = rest.dropFirst(count)
            }
        }
    }

    private static func failure(_ call: String) -> RecordingError {
        RecordingError(
            code: .file, line: nil, reason: "could not \(call) the file: \(String(cString: strerror(errno)))")
    }
}
