// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import ToolSupport

/// Standard output or standard error. It is thread-safe: lines of concurrent tasks never mix.
final class OutputStream: Sendable {
    /// Standard output, for results only.
    static let standard = OutputStream(descriptor: STDOUT_FILENO)
    /// Standard error, for everything else: error objects, failures, traced messages, progress.
    static let diagnostics = OutputStream(descriptor: STDERR_FILENO)

    /// The line editor that uses the terminal. Both streams pass their bytes to it.
    static let editor = Mutex<LineEditor?>(nil)

    /// The trace of the messages. Its lines are written before any later output, so that the line of a message precedes
    /// its result.
    private static let trace = Mutex<MessageTrace?>(nil)

    let descriptor: Int32
    /// True after a write has failed. The lock is held during a write, so that lines do not mix.
    private let isClosed = Mutex(false)

    init(descriptor: Int32) { self.descriptor = descriptor }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes a line. `bytes` do not include the line feed. Throws ``Exit`` with ``CommandStatus/outputClosed`` if the
    /// reader has closed the stream; ``UsageError`` for other failures.
    func write(line bytes: [UInt8]) throws {
        try write(bytes + [0x0A])
    }

    func write(line text: String) throws {
        try write(Array((text + "\n").utf8))
    }

    /// Writes bytes unchanged, after the lines of the ``trace``, and above the line of the ``editor`` if there is one.
    func write(_ bytes: [UInt8]) throws {
        Self.trace.withLock { $0 }?.flush()
        try writeUntraced(bytes)
    }

    static func follow(_ trace: MessageTrace) { self.trace.withLock { $0 = trace } }

    /// Writes bytes that belong to the ``trace`` itself.
    func writeUntraced(_ bytes: [UInt8]) throws {
        if let editor = Self.editor.withLock({ $0 }), editor.print(bytes, to: self) { return }
        guard let failure = writeNow(bytes) else { return }
        if failure == EPIPE { throw Exit(status: .outputClosed) }
        let name = self === Self.standard ? "standard output" : "standard error"
        throw UsageError("Could not write to \(name): \(SystemFailure.text(failure)).")
    }

    /// Writes bytes to the descriptor. Returns `nil` on success, else the error number of the system.
    @discardableResult
    func writeNow(_ bytes: [UInt8]) -> Int32? {
        isClosed.withLock { isClosed in
            if isClosed { return EPIPE }
            let failure = DescriptorWriter.write(bytes, to: descriptor)
            if failure != nil { isClosed = true }
            return failure
        }
    }

    /// Prints a message for the user. Characters that would control a terminal are escaped, except line feeds and tabs.
    /// A failure to write is ignored.
    func say(_ text: String) {
        try? write(line: TerminalText.lines(text))
    }
}

/// Prints JSON values on standard output, one per line.
struct LineOutput: Sendable {
    var formatter: JSONFormatter
    var stream = OutputStream.standard

    /// Prints a value that is already on one line.
    func write(_ line: [UInt8]) throws {
        let isPlain = !formatter.colors && !formatter.escapesControls
        try stream.write(line: isPlain ? line : formatter.format(valid: line))
    }
}
