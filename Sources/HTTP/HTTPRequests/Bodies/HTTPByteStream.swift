// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A stream of bytes that is read once, piece by piece. The next piece is produced on demand.
///
/// Releasing a stream before its end releases its source, which then closes its file or connection.
public struct HTTPByteStream: AsyncSequence, Sendable {
    public typealias Element = ArraySlice<UInt8>
    public typealias Failure = any Error

    /// Reads the pieces one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var source: (any HTTPByteSource)?
        fileprivate let limits: PieceLimits?
        /// Receives the pieces; `nil` if the stream has no observer.
        fileprivate let observer: Storage?

        /// Returns the next piece, which is not empty; `nil` at the end.
        ///
        /// - Throws: An ``HTTPTransportError``; the source's error; an ``HTTPByteStreamError`` if the stream was read.
        public mutating func next() async throws -> ArraySlice<UInt8>? {
            guard source != nil else { throw HTTPByteStreamError.alreadyRead }
            while true {
                let piece: ArraySlice<UInt8>?
                if let limits, !limits.isOperationRunning {
                    piece = try await limits.next(from: &source)
                } else {
                    let number = limits?.impose()
                    defer { if let number { limits?.operation.lift(number) } }
                    piece = try await source?.next()
                }
                guard let piece else { return nil }
                observer?.receive(piece)
                if !piece.isEmpty { return piece }
            }
        }
    }

    fileprivate final class Storage: Sendable {
        struct State {
            var source: (any HTTPByteSource)?
            var limits: PieceLimits?
            var isObserved = false
            var progress: (@Sendable (HTTPProgress) -> Void)?
            var received: Int64 = 0
            /// The beginning of the body; `nil` if it is not kept.
            var beginning: [UInt8]?
        }

        let length: Int64?
        let state: Mutex<State>

        init(_ source: any HTTPByteSource, _ length: Int64?) {
            self.length = length
            state = Mutex(State(source: source))
        }

        func makeIterator() -> AsyncIterator {
            state.withLock {
                AsyncIterator(source: $0.source.take(), limits: $0.limits, observer: $0.isObserved ? self : nil)
            }
        }

        func receive(_ piece: ArraySlice<UInt8>) {
            let (received, progress) = state.withLock { state in
                if state.received < HTTPByteStream.beginningLimit {
                    state.beginning? += piece.prefix(HTTPByteStream.beginningLimit - Int(state.received))
                }
                state.received += Int64(piece.count)
                return (state.received, state.progress)
            }
            progress?(HTTPProgress(completedBytes: received, totalBytes: length))
        }
    }

    private let storage: Storage
    /// The number of bytes that the producer has announced; `nil` if it is unknown.
    public var length: Int64? { storage.length }

    /// Makes a stream that reads from a source. `length` is `nil` if the number of bytes is unknown.
    public init(_ source: some HTTPByteSource, length: Int64? = nil) { storage = Storage(source, length) }

    /// Makes a stream of bytes in memory.
    public init(_ bytes: [UInt8]) { self.init(BytesInMemory(bytes: bytes), length: Int64(bytes.count)) }

    /// Starts reading. Only the first iterator of a stream gets its bytes.
    public func makeAsyncIterator() -> AsyncIterator { storage.makeIterator() }

    /// Wraps the stream's source in another one. Has no effect on a stream that was read.
    package func mapSource(_ transform: (any HTTPByteSource) -> any HTTPByteSource) {
        let (taken, limits) = storage.state.withLock { ($0.source.take(), $0.limits.take()) }
        guard var source = taken else { return }
        if let limits { source = LimitedSource(source: source, limits: limits) }
        let new = transform(source)
        storage.state.withLock { $0.source = new }
    }

    func limit(by limits: PieceLimits) { storage.state.withLock { $0.limits = limits } }

    /// Starts to report progress and to keep the beginning of the body.
    func observe(_ progress: (@Sendable (HTTPProgress) -> Void)?) {
        storage.state.withLock { state in
            state.isObserved = true
            state.progress = progress
            state.beginning = []
        }
    }

    /// The largest beginning that is kept, in bytes.
    static let beginningLimit = 16 << 10

    /// The beginning of the body that was read since ``observe(_:)``, at most ``beginningLimit`` bytes.
    var beginning: [UInt8] { storage.state.withLock { $0.beginning } ?? [] }

    /// Releases the beginning, and keeps nothing more.
    func releaseBeginning() {
        // The bytes are released outside the lock.
        _ = storage.state.withLock { $0.beginning.take() }
    }
}

extension HTTPByteStream {
    /// Reads the stream to its end.
    ///
    /// - Parameter limit: The largest number of bytes.
    /// - Throws: A ``HTTPByteStreamError`` with the first `limit` bytes if there are more.
    public func collect(upTo limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in self {
            let room = limit - bytes.count
            guard piece.count <= room else {
                bytes += piece.prefix(room)
                throw HTTPByteStreamError.tooLarge(limit: limit, beginning: bytes)
            }
            if bytes.isEmpty {
                // Most short bodies are one piece, which is not copied.
                bytes = Array(piece)
            } else {
                if let length {
                    bytes.reserveCapacity(Int(clamping: Swift.min(length, Int64(clamping: limit), 1 << 20)))
                }
                bytes += piece
            }
        }
        return bytes
    }

    /// Reads a body of at most 64 KiB to its end, so that its connection can be used again. A longer one is released.
    ///
    /// - Returns: The bytes; empty if the body was not read to its end.
    @discardableResult
    func discard() async -> [UInt8] {
        let limit = 64 << 10
        if let length, length > Int64(limit) { return [] }
        return (try? await collect(upTo: limit)) ?? []
    }
}

/// A producer of bytes, read one piece at a time.
public protocol HTTPByteSource: Sendable {
    /// Returns the next piece; `nil` at the end.
    ///
    /// Calls never overlap. It throws soon after its task is cancelled.
    mutating func next() async throws -> ArraySlice<UInt8>?
}

/// A failure of reading an ``HTTPByteStream``.
public enum HTTPByteStreamError: Error, Sendable {
    /// The stream was read before. Its bytes are gone.
    case alreadyRead
    /// The stream holds more bytes than the limit allows.
    case tooLarge(limit: Int, beginning: [UInt8])
}

extension HTTPByteStreamError: CustomStringConvertible {
    /// The reason, without the bytes.
    public var description: String {
        switch self {
        case .alreadyRead: "The body was read before."
        case .tooLarge(let limit, _): "The body is larger than \(limit) bytes."
        }
    }
}

private struct BytesInMemory: HTTPByteSource {
    var bytes: [UInt8]?

    mutating func next() async throws -> ArraySlice<UInt8>? { bytes.take().map { $0[...] } }
}

// MARK: Time limits

/// The time limits of the pieces of a body.
///
/// It is a class, because a stream, its iterator and each call of `next()` hold it.
final class PieceLimits: Sendable {
    let keeper: TimeKeeper
    /// The operation of the request. A limit that is exceeded while it runs ends it.
    let operation: LimitedOperation
    /// The limit for one piece; `nil` for none.
    let idle: Duration?
    /// The time by which the whole body must have arrived; `nil` for none.
    let deadline: ContinuousClock.Instant?

    init(
        keeper: TimeKeeper, operation: LimitedOperation, idle: Duration?, deadline: ContinuousClock.Instant?
    ) {
        self.keeper = keeper
        self.operation = operation
        self.idle = idle
        self.deadline = deadline
    }

    /// Whether the operation is running. Most bodies are read in its task, because a task for each piece would cost
    /// more than the piece.
    var isOperationRunning: Bool { !operation.hasReturned }

    /// Imposes the limit for the next piece, in the task of the operation. Returns its number; `nil` without a limit.
    func impose() -> UInt64? {
        guard let idle, let end = keeper.clock.now.advanced(within: idle) else { return nil }
        return operation.impose(.idle(idle), until: end)
    }

    /// Reads a piece after the operation has returned.
    func next(from source: inout (any HTTPByteSource)?) async throws -> ArraySlice<UInt8>? {
        var (limit, end) = (TimeLimit.total, deadline)
        if let idle, let idleEnd = keeper.clock.now.advanced(within: idle), deadline.map({ idleEnd <= $0 }) ?? true {
            (limit, end) = (.idle(idle), idleEnd)
        }
        // Lends the source to the task of the piece, so that it is not copied.
        let lent = Mutex(source.take())
        defer { source = lent.withLock { $0.take() } }
        return try await keeper.run(limit, until: end) { _ in
            var source = lent.withLock { $0.take() }
            defer { lent.withLock { $0 = source } }
            return try await source?.next()
        }
    }
}

private struct LimitedSource: HTTPByteSource {
    var source: (any HTTPByteSource)?
    let limits: PieceLimits

    mutating func next() async throws -> ArraySlice<UInt8>? {
        guard limits.isOperationRunning else { return try await limits.next(from: &source) }
        let number = limits.impose()
        defer { if let number { limits.operation.lift(number) } }
        return try await source?.next()
    }
}
