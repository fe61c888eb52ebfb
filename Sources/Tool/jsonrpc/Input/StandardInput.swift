// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import TaskWaits
import ToolSupport

/// Reads standard input line by line as the lines arrive. The program at the other end of a pipe may wait for a
/// response before it writes the next line.
///
/// Reading blocks a thread of its own, never a thread of the task pool. Cancelling the waiting task ends the wait, and
/// so does ``stop``.
struct StandardInput: ~Copyable {
    struct Line: Equatable, Sendable {
        /// The number of the line, from 1.
        var number: Int
        /// The line without the line feed.
        var bytes: [UInt8]
    }

    /// The maximum length of a line, in bytes: 64 MiB.
    static let maximumLineBytes = 64 << 20

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "jsonrpc.input")
    /// Stops reading. Lines that are already read are still returned, then ``nextLine()`` returns `nil`.
    let stop: WakePipe
    private var pending: [UInt8] = []
    private var lineStart = 0
    private var scanned = 0
    private var lineNumber = 0
    private var hasEnded = false
    /// True if ``nextLine()`` returned `nil` because of ``stop``. There may be more input.
    private(set) var wasStopped = false

    init(descriptor: Int32 = STDIN_FILENO) throws {
        self.descriptor = descriptor
        stop = try WakePipe()
    }

    static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// The number of the next line, from 1.
    var nextLineNumber: Int { lineNumber + 1 }

    enum Reading: Equatable, Sendable {
        case line(Line)
        /// No line was complete in time. There may be more input.
        case paused
        /// The end of the input, or ``stop`` was raised.
        case end
    }

    /// Returns the next line. A last line without a line feed counts.
    ///
    /// - Parameter deadline: The end of the wait; `nil` to wait without a limit.
    /// - Throws: `CancellationError` if the task is cancelled; ``UsageError`` if a line is too long or reading fails.
    mutating func next(by deadline: ContinuousClock.Instant?) async throws -> Reading {
        while !wasStopped {
            if let feed = pending[scanned...].firstIndex(of: 0x0A) {
                let line = Array(pending[lineStart..<feed])
                (lineStart, scanned) = (feed + 1, feed + 1)
                return .line(number(line))
            }
            // Lines are removed only here, so that the cost of a line is proportional to its length.
            pending.removeFirst(lineStart)
            (lineStart, scanned) = (0, pending.count)
            if hasEnded {
                guard !pending.isEmpty else { return .end }
                defer { (pending, scanned) = ([], 0) }
                return .line(number(pending))
            }
            guard pending.count <= Self.maximumLineBytes else {
                throw UsageError(
                    "Line \(lineNumber + 1) of standard input exceeds the limit of \(Self.maximumLineBytes) bytes.")
            }
            switch try await nextChunk(by: deadline) {
            case .bytes(let chunk): pending.append(contentsOf: chunk)
            case .paused: return .paused
            case .end: hasEnded = true
            case .stopped: wasStopped = true
            }
        }
        return .end
    }

    /// Returns the next line; `nil` at the end of the input, and after ``stop`` was raised.
    mutating func nextLine() async throws -> Line? {
        if case .line(let line) = try await next(by: nil) { line } else { nil }
    }

    /// Returns whether there may be input that was not returned as a line. It does not wait: input that another program
    /// has not written yet may follow.
    mutating func mayHaveMore() -> Bool {
        guard pending.count == lineStart, !hasEnded else { return pending.count > lineStart }
        var descriptors = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptors, 1, 0) > 0 else { return true }
        var byte: UInt8 = 0
        // The end of the input reads as no bytes.
        let count = read(descriptor, &byte, 1)
        if count == 0 { hasEnded = true }
        if count > 0 { pending.append(byte) }
        return count != 0
    }

    private mutating func number(_ bytes: [UInt8]) -> Line {
        lineNumber += 1
        return Line(number: lineNumber, bytes: bytes)
    }

    private enum Chunk: Sendable {
        case bytes([UInt8])
        /// Nothing arrived in time.
        case paused
        case end
        /// ``stop`` was raised.
        case stopped
    }

    private func nextChunk(by deadline: ContinuousClock.Instant?) async throws -> Chunk {
        let (descriptor, stop) = (descriptor, stop)
        try Task.checkCancellation()
        let wait = CancellableWait<Chunk>()
        queue.async { wait.resume(with: Self.readChunk(descriptor, by: deadline, until: stop)) }
        let chunk = await Result(of: { try await wait.value(onCancel: { stop.raise() }) })
        try Task.checkCancellation()
        return try chunk.get()
    }

    private static func readChunk(
        _ descriptor: Int32, by deadline: ContinuousClock.Instant?, until stop: WakePipe
    ) -> Result<Chunk, any Error> {
        while true {
            var descriptors = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&descriptors, 2, milliseconds(until: deadline))
            if ready < 0 {
                if errno == EINTR { continue }
                return .failure(UsageError("Could not wait for standard input: \(SystemFailure.text(errno))."))
            }
            if ready == 0 {
                // The limit of a wait is shorter than a long deadline.
                if let deadline, deadline > .now { continue }
                return .success(.paused)
            }
            if descriptors[1].revents != 0 { return .success(.stopped) }
            var failure: Int32 = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
                let outcome = read(descriptor, buffer.baseAddress, buffer.count)
                failure = outcome < 0 ? errno : 0
                count = max(outcome, 0)
            }
            switch failure {
            case 0: return .success(chunk.isEmpty ? .end : .bytes(chunk))
            case EINTR, EAGAIN: continue
            default: return .failure(UsageError("Could not read standard input: \(SystemFailure.text(failure))."))
            }
        }
    }

    /// Returns the argument of `poll` for a deadline, rounded up and at most an hour; -1 for no deadline.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let rest = max(.zero, min(deadline - .now, .seconds(3600)))
        return Int32((rest / .milliseconds(1)).rounded(.up))
    }
}
