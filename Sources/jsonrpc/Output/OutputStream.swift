// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard output or standard error, a line at a time: lines of tasks that print at once never mix.
final class OutputStream: Sendable {
    /// Results, and nothing else.
    static let standard = OutputStream(descriptor: STDOUT_FILENO)
    /// Everything else: error objects, failures, frames, progress.
    static let diagnostics = OutputStream(descriptor: STDERR_FILENO)

    let descriptor: Int32
    /// Held while a line is being written, so that it comes out whole.
    private let isClosed = Mutex(false)

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Whether a person reads it.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes a line; `bytes` come without the line feed.
    ///
    /// - Throws: ``Exit`` with ``CommandStatus/outputClosed`` when nobody reads any more.
    func write(line bytes: [UInt8]) throws {
        try write(bytes + [0x0A])
    }

    /// Writes a line.
    func write(line text: String) throws {
        try write(Array((text + "\n").utf8))
    }

    /// Writes bytes as they are.
    func write(_ bytes: [UInt8]) throws {
        let failure = isClosed.withLock { isClosed -> Int32? in
            if isClosed { return EPIPE }
            let failure = DescriptorWriter.write(bytes, to: descriptor)
            if failure != nil { isClosed = true }
            return failure
        }
        guard let failure else { return }
        if failure == EPIPE { throw Exit(status: .outputClosed) }
        throw UsageError(
            "Cannot write to \(self === Self.standard ? "standard output" : "standard error"): \(SystemFailure.text(failure))."
        )
    }

    /// Says something to the user, with everything escaped that a terminal would act on, except line feeds. Where nobody
    /// listens, the text is lost: that is no reason to fail.
    func say(_ text: String) {
        try? write(line: TerminalText.lines(text))
    }
}
