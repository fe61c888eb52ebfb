// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A stream of bytes that is read once, piece by piece. The next piece is produced when it is asked for.
///
/// A stream that is released before its end releases its source, which then closes what it reads from.
public struct HTTPByteStream: AsyncSequence, Sendable {
    public typealias Element = ArraySlice<UInt8>
    public typealias Failure = any Error

    /// Reads the pieces one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let source: (any HTTPByteSource)?
        private let limits: PieceLimits?
        private let observer: BodyObserver?

        fileprivate init(_ source: (any HTTPByteSource)?, _ limits: PieceLimits?, _ observer: BodyObserver?) {
            self.source = source
            self.limits = limits
            self.observer = observer
        }

        /// Returns the next piece, which is not empty; `nil` at the end.
        ///
        /// - Throws: An ``HTTPTransportError``; the error of the source; a ``HTTPByteStreamError`` if the stream was read
        ///   before.
        public mutating func next() async throws -> ArraySlice<UInt8>? {
            guard let source else { throw HTTPByteStreamError.alreadyRead }
            while true {
                let piece: ArraySlice<UInt8>?
                if let limits, !limits.isOperationRunning {
                    piece = try await limits.next(from: source)
                } else {
                    let number = limits?.impose()
                    defer { if let number { limits?.lift(number) } }
                    piece = try await source.next()
                }
                guard let piece else { return nil }
                observer?.receive(piece)
                if !piece.isEmpty { return piece }
            }
        }
    }

    private final class Storage: Sendable {
        private struct State {
            var source: (any HTTPByteSource)?
            var limits: PieceLimits?
            var observer: BodyObserver?
        }

        private let state: Mutex<State>

        init(_ source: any HTTPByteSource) { state = Mutex(State(source: source)) }

        func take() -> (any HTTPByteSource)? {
            let (source, limits) = state.withLock { ($0.source.take(), $0.limits.take()) }
            guard let limits else { return source }
            return source?.limited(by: limits)
        }

        func put(_ new: any HTTPByteSource) { state.withLock { $0.source = new } }

        func limit(by limits: PieceLimits) { state.withLock { $0.limits = limits } }

        func observe(with observer: BodyObserver) { state.withLock { $0.observer = observer } }

        func makeIterator() -> AsyncIterator {
            state.withLock { AsyncIterator($0.source.take(), $0.limits, $0.observer) }
        }
    }

    private let storage: Storage
    /// The number of bytes that the producer has announced; `nil` if it is unknown.
    public let length: Int64?

    /// Makes a stream that reads from a source.
    public init(_ source: some HTTPByteSource, length: Int64? = nil) {
        storage = Storage(source)
        self.length = length
    }

    /// Starts reading. Only the first iterator of a stream gets its bytes.
    public func makeAsyncIterator() -> AsyncIterator { storage.makeIterator() }

    /// Takes the source, for a stream that reads through this one. It is `nil` if the stream was read before.
    package func takeSource() -> (any HTTPByteSource)? { storage.take() }

    /// Gives the stream another source, after ``takeSource()``.
    func replaceSource(with source: any HTTPByteSource) { storage.put(source) }

    /// Holds the pieces to time limits.
    func limit(by limits: PieceLimits) { storage.limit(by: limits) }

    /// Reports the pieces to an observer. The source of the stream is not taken after that.
    func observe(with observer: BodyObserver) { storage.observe(with: observer) }

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
}

/// A producer of bytes, which is asked for one piece after the other.
public protocol HTTPByteSource: Sendable {
    /// Returns the next piece; `nil` at the end.
    ///
    /// A stream calls it again only after it has returned. It throws soon when its task is cancelled.
    func next() async throws -> ArraySlice<UInt8>?
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

extension HTTPByteStream {
    /// Makes a stream of bytes in memory.
    public init(_ bytes: [UInt8]) {
        self.init(BytesInMemory(bytes), length: Int64(bytes.count))
    }
}

private final class BytesInMemory: HTTPByteSource {
    private let bytes: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

    func next() async throws -> ArraySlice<UInt8>? { bytes.withLock { $0.take() }.map { $0[...] } }
}
