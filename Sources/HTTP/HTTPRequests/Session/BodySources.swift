// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The time limits of the pieces of a body.
final class PieceLimits: Sendable {
    private let keeper: TimeKeeper
    /// The operation of the request. A limit that is exceeded while it runs ends it.
    private let operation: LimitedOperation
    /// The limit for one piece; `nil` for none.
    private let idle: Duration?
    /// The time by which the whole body must have arrived; `nil` for none.
    private let deadline: ContinuousClock.Instant?

    init(
        keeper: TimeKeeper, operation: LimitedOperation, idle: Duration?, deadline: ContinuousClock.Instant?
    ) {
        self.keeper = keeper
        self.operation = operation
        self.idle = idle
        self.deadline = deadline
    }

    /// Whether the operation is running. Most bodies are read in its task, because a task for each piece would cost more
    /// than the piece.
    var isOperationRunning: Bool { !operation.hasReturned }

    /// Puts the limit for the next piece in force, in the task of the operation. Returns a number for ``lift(_:)``; `nil`
    /// without a limit.
    func impose() -> UInt64? {
        guard let idle, let end = keeper.clock.now.advanced(within: idle) else { return nil }
        return operation.impose(.idle(idle), until: end)
    }

    /// Ends the force of the limit for a piece.
    func lift(_ number: UInt64) { operation.lift(number) }

    /// Reads a piece after the operation has returned.
    func next(from source: any HTTPByteSource) async throws -> ArraySlice<UInt8>? {
        if let idle, let idleEnd = keeper.clock.now.advanced(within: idle), deadline.map({ idleEnd <= $0 }) ?? true {
            return try await keeper.run(.idle(idle), until: idleEnd) { _ in try await source.next() }
        }
        return try await keeper.run(.total, until: deadline) { _ in try await source.next() }
    }
}

/// A body whose pieces are held to time limits.
private struct LimitedSource: HTTPByteSource {
    let source: any HTTPByteSource
    let limits: PieceLimits

    func next() async throws -> ArraySlice<UInt8>? {
        guard limits.isOperationRunning else { return try await limits.next(from: source) }
        let number = limits.impose()
        defer { if let number { limits.lift(number) } }
        return try await source.next()
    }
}

extension HTTPByteSource {
    /// Returns a source whose pieces are held to time limits.
    func limited(by limits: PieceLimits) -> any HTTPByteSource { LimitedSource(source: self, limits: limits) }
}

/// An observer of a body: reports its progress, and keeps its beginning for errors.
final class BodyObserver: Sendable {
    /// The largest beginning, in bytes.
    static let beginningLimit = 16 << 10

    private struct State {
        var received: Int64 = 0
        var beginning: [ArraySlice<UInt8>] = []
        var isRecording = true
    }

    private let progress: (@Sendable (HTTPProgress) -> Void)?
    private let length: Int64?
    private let state = Mutex(State())

    init(length: Int64?, progress: (@Sendable (HTTPProgress) -> Void)?) {
        self.length = length
        self.progress = progress
    }

    /// Notes the next piece of the body.
    func receive(_ piece: ArraySlice<UInt8>) {
        let received = state.withLock { state in
            if state.isRecording, state.received < Self.beginningLimit {
                state.beginning.append(piece.prefix(Self.beginningLimit - Int(state.received)))
            }
            state.received += Int64(piece.count)
            return state.received
        }
        progress?(HTTPProgress(completedBytes: received, totalBytes: length))
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
