// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A body whose pieces must each arrive within a time limit.
final class TimedSource: HTTPByteSource {
    private let base: any HTTPByteSource
    private let keeper: TimeKeeper
    /// The operation of the request. A limit that is exceeded while it runs ends it.
    private let operation: LimitedOperation
    /// The limit for one piece; `nil` for none.
    private let idle: Duration?
    /// The time by which the whole body must have arrived; `nil` for none.
    private let deadline: ContinuousClock.Instant?

    init(
        _ base: any HTTPByteSource, keeper: TimeKeeper, operation: LimitedOperation, idle: Duration?,
        deadline: ContinuousClock.Instant?
    ) {
        self.base = base
        self.keeper = keeper
        self.operation = operation
        self.idle = idle
        self.deadline = deadline
    }

    func next() async throws -> ArraySlice<UInt8>? {
        let idleEnd = idle.flatMap { keeper.clock.now.advanced(within: $0) }
        // Most bodies are read here. A task for each piece would cost more than the piece.
        guard operation.hasReturned else {
            guard let idle, let idleEnd else { return try await base.next() }
            let number = operation.impose(.idle(idle), until: idleEnd)
            defer { operation.lift(number) }
            return try await base.next()
        }
        let base = base
        if let idle, let idleEnd, deadline.map({ idleEnd <= $0 }) ?? true {
            return try await keeper.run(.idle(idle), until: idleEnd) { _ in try await base.next() }
        }
        return try await keeper.run(.total, until: deadline) { _ in try await base.next() }
    }
}

/// A body that tells of its pieces, and keeps its beginning for errors.
final class ObservedSource: HTTPByteSource {
    /// The largest beginning, in bytes.
    static let beginningLimit = 16 << 10

    private struct State {
        var received: Int64 = 0
        var beginning: [ArraySlice<UInt8>] = []
        var isRecording = true
    }

    private let base: any HTTPByteSource
    private let progress: (@Sendable (HTTPProgress) -> Void)?
    private let length: Int64?
    private let state = Mutex(State())

    /// - Parameter base: The body; `nil` if it was read before.
    init(
        _ base: (any HTTPByteSource)?, length: Int64?, progress: (@Sendable (HTTPProgress) -> Void)?
    ) {
        self.base = base ?? ReadSource()
        self.length = length
        self.progress = progress
    }

    func next() async throws -> ArraySlice<UInt8>? {
        guard let piece = try await base.next() else { return nil }
        let received = state.withLock { state in
            if state.isRecording, state.received < Self.beginningLimit {
                state.beginning.append(piece.prefix(Self.beginningLimit - Int(state.received)))
            }
            state.received += Int64(piece.count)
            return state.received
        }
        progress?(HTTPProgress(completedBytes: received, totalBytes: length))
        return piece
    }

    /// The beginning of the body that was read, at most ``beginningLimit`` bytes.
    var beginning: [UInt8] { Array(state.withLock { $0.beginning }.joined()) }

    /// Releases the beginning, and keeps nothing more.
    func stopRecording() {
        // The pieces are released after the lock.
        _ = state.withLock { state in
            defer { state.beginning = [] }
            state.isRecording = false
            return state.beginning
        }
    }
}

/// A body that was read before.
struct ReadSource: HTTPByteSource {
    func next() async throws -> ArraySlice<UInt8>? { throw HTTPByteStreamError.alreadyRead }
}

extension HTTPByteStream {
    /// The largest rest of a body that is read only so that its connection can be used again, in bytes.
    static let discardLimit = 64 << 10

    /// Reads from now on through a source that reads from the stream's source.
    func mapSource(_ transform: (any HTTPByteSource) -> any HTTPByteSource) {
        replaceSource(with: transform(takeSource() ?? ReadSource()))
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
