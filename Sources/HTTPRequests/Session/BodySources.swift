// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A body whose pieces must each arrive within a time limit.
struct TimedSource: HTTPByteSource {
    let base: any HTTPByteSource
    let keeper: TimeKeeper
    /// The operation of the request. A limit that is exceeded while it runs ends it.
    let operation: LimitedOperation
    /// The limit for one piece; `nil` for none.
    let idle: Duration?
    /// The time by which the whole body must have arrived; `nil` for none.
    let deadline: ContinuousClock.Instant?

    func next() async throws -> ArraySlice<UInt8>? {
        let idleEnd = idle.flatMap { keeper.clock.now.advanced(within: $0) }
        // Most bodies are read here. A task for each piece would cost more than the piece.
        guard operation.hasReturned else { return try await nextInOperation(until: idleEnd) }
        let isTotal = deadline.map { total in idleEnd.map { total < $0 } ?? true } ?? false
        let base = base
        return try await keeper.run(
            until: isTotal ? deadline : idleEnd,
            reason: isTotal
                ? HTTPTimeouts.totalExceeded
                : idleExceeded
        ) { _ in try await base.next() }
    }

    private func nextInOperation(until idleEnd: ContinuousClock.Instant?) async throws -> ArraySlice<UInt8>? {
        guard let idleEnd else { return try await base.next() }
        let token = keeper.scheduler.schedule(at: idleEnd) { [self] in operation.end(.timedOut(idleExceeded)) }
        defer { keeper.scheduler.remove(token) }
        return try await base.next()
    }

    private var idleExceeded: String {
        "No byte of the response arrived within the idle limit of \(idle?.text ?? "")"
    }
}

extension HTTPTimeouts {
    static let totalExceeded = "The response was not complete within the total limit"
}

/// A body that tells of its pieces.
final class ObservedSource: HTTPByteSource {
    private let base: any HTTPByteSource
    private let recorder: BodyRecorder
    private let progress: (@Sendable (HTTPProgress) -> Void)?
    private let length: Int64?
    private let received = Mutex<Int64>(0)

    init(
        _ base: any HTTPByteSource, length: Int64?, recorder: BodyRecorder,
        progress: (@Sendable (HTTPProgress) -> Void)?
    ) {
        self.base = base
        self.length = length
        self.recorder = recorder
        self.progress = progress
    }

    func next() async throws -> ArraySlice<UInt8>? {
        guard let piece = try await base.next() else { return nil }
        recorder.record(piece)
        if let progress {
            let count = received.withLock { received in
                received += Int64(piece.count)
                return received
            }
            progress(HTTPProgress(completedBytes: count, totalBytes: length))
        }
        return piece
    }
}

/// A body that was read before.
struct ReadSource: HTTPByteSource {
    func next() async throws -> ArraySlice<UInt8>? { throw HTTPByteStreamError.alreadyRead }
}

extension HTTPByteStream {
    /// The largest rest of a body that is read only so that its connection can be used again, in bytes.
    static let discardLimit = 64 << 10

    /// Returns a stream that reads from this one through a source.
    func mapSource(_ transform: (any HTTPByteSource) -> any HTTPByteSource) -> HTTPByteStream {
        func stream(_ source: some HTTPByteSource) -> HTTPByteStream { HTTPByteStream(source, length: length) }
        return stream(transform(takeSource() ?? ReadSource()))
    }

    /// Reads a short body to its end, so that its connection can be used again. A long body is released.
    ///
    /// - Returns: The bytes; empty if the body was not read to its end.
    @discardableResult
    func discard() async -> [UInt8] {
        if let length, length > Int64(Self.discardLimit) { return [] }
        return (try? await collect(upTo: Self.discardLimit)) ?? []
    }
}
