// swift-jsonrpc · SPDX-License-Identifier: MIT

import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads standard input line by line, as the lines come: a program at the other end of a pipe may wait for our answer
/// before it writes its next line.
///
/// Reading blocks a thread of its own, never one of the tasks' threads. Cancelling the task that waits ends the wait,
/// and so does ``stop``.
struct StandardInput: ~Copyable {
    struct Line: Equatable, Sendable {
        /// From 1.
        var number: Int
        /// Without the line feed.
        var bytes: [UInt8]
    }

    /// A line longer than this is refused.
    static let maximumLineBytes = 64 << 20

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "jsonrpc.input")
    /// Ends the reading: lines that have been read already are still handed out, then ``nextLine()`` returns `nil`.
    let stop: StopSignal
    private var pending: [UInt8] = []
    private var lineStart = 0
    private var scanned = 0
    private var lineNumber = 0
    private var hasEnded = false
    /// True when ``nextLine()`` returned `nil` because of ``stop``. Then there may be more to read.
    private(set) var wasStopped = false

    init(descriptor: Int32 = STDIN_FILENO) throws {
        self.descriptor = descriptor
        stop = try StopSignal()
    }

    /// The number of the next line, from 1.
    var nextLineNumber: Int { lineNumber + 1 }

    /// The next line; `nil` at the end of input, and after ``stop`` was raised. A last line without a line feed counts.
    ///
    /// - Throws: `CancellationError`; ``UsageError`` when a line is too long or the input cannot be read.
    mutating func nextLine() async throws -> Line? {
        while !wasStopped {
            if let feed = pending[scanned...].firstIndex(of: 0x0A) {
                let line = Array(pending[lineStart..<feed])
                (lineStart, scanned) = (feed + 1, feed + 1)
                return number(line)
            }
            // Taking the lines out only here keeps the cost of a line in proportion to its length.
            pending.removeFirst(lineStart)
            (lineStart, scanned) = (0, pending.count)
            if hasEnded {
                guard !pending.isEmpty else { return nil }
                defer { (pending, scanned) = ([], 0) }
                return number(pending)
            }
            guard pending.count <= Self.maximumLineBytes else {
                throw UsageError("Line \(lineNumber + 1) is longer than \(Self.maximumLineBytes) bytes.")
            }
            switch try await nextChunk() {
            case .bytes(let chunk): pending.append(contentsOf: chunk)
            case .end: hasEnded = true
            case .stopped: wasStopped = true
            }
        }
        return nil
    }

    private mutating func number(_ bytes: [UInt8]) -> Line {
        lineNumber += 1
        return Line(number: lineNumber, bytes: bytes)
    }

    private enum Chunk: Sendable {
        case bytes([UInt8])
        /// The end of input.
        case end
        /// ``stop`` was raised.
        case stopped
    }

    /// What there is to read.
    private func nextChunk() async throws -> Chunk {
        let (descriptor, stop) = (descriptor, stop)
        try Task.checkCancellation()
        let chunk: Result<Chunk, any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: Self.readChunk(descriptor, until: stop)) }
            }
        } onCancel: {
            stop.raise()
        }
        try Task.checkCancellation()
        return try chunk.get()
    }

    private static func readChunk(_ descriptor: Int32, until stop: StopSignal) -> Result<Chunk, any Error> {
        while true {
            var descriptors = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&descriptors, 2, -1) < 0 {
                if errno == EINTR { continue }
                return .failure(UsageError("Cannot wait for standard input: \(SystemFailure.text(errno))."))
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
            default: return .failure(UsageError("Cannot read standard input: \(SystemFailure.text(failure))."))
            }
        }
    }
}

/// A pipe that is written to once, to end somebody's wait in `poll`.
final class StopSignal: Sendable {
    /// The end to wait on.
    fileprivate let descriptor: Int32
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw UsageError("Cannot make a pipe: \(SystemFailure.text(errno)).") }
        descriptor = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(descriptor)
        close(writeEnd)
    }

    /// Ends the wait, and every later one. May be called from any thread, and more than once.
    func raise() {
        _ = DescriptorWriter.write([1], to: writeEnd)
    }
}
