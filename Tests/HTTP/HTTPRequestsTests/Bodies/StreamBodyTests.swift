// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing

@testable import HTTPRequests

@Suite("Bodies from streams", .inTurn)
struct StreamBodyTests {
    struct Fault: Error, Equatable {}

    static func pieces(_ pieces: [[UInt8]], then failure: (any Error)? = nil) -> AsyncThrowingStream<[UInt8], any Error>
    {
        AsyncThrowingStream { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish(throwing: failure)
        }
    }

    @Test(arguments: [nil, 5] as [Int64?])
    func aStreamIsSentOnce(length: Int64?) async throws {
        let body = StreamHTTPBody(Self.pieces([[1, 2], [], [3, 4, 5]]), length: length)
        let entity = try body.buildEntity()
        #expect(!entity.isReplayable)
        #expect(entity.length == length)
        #expect(entity.contentType == "application/octet-stream")
        let stream = try await entity.makeStream()
        #expect(stream.length == length)
        #expect(try await stream.collect(upTo: 10) == [1, 2, 3, 4, 5])
        await #expect(throws: HTTPBodyError.streamAlreadyUsed) { try await entity.makeStream() }
        await #expect(throws: HTTPBodyError.streamAlreadyUsed) { try await body.buildEntity().makeStream() }
    }

    @Test func aClosureMakesAStreamForEachAttempt() async throws {
        let body = StreamHTTPBody(length: 3, contentType: "text/csv") { Self.pieces([[7], [8, 9]]) }
        let entity = try body.buildEntity()
        #expect(entity.isReplayable)
        #expect(entity.contentType == "text/csv")
        for _ in 0..<3 { #expect(try await entity.makeStream().collect(upTo: 10) == [7, 8, 9]) }
    }

    @Test func otherKindsOfPiecesAreTaken() async throws {
        let data = AsyncStream<Data> { continuation in
            continuation.yield(Data([1, 2]))
            continuation.yield(Data([3, 4]).dropFirst())
            continuation.finish()
        }
        #expect(try await StreamHTTPBody(data).buildEntity().makeStream().collect(upTo: 9) == [1, 2, 4])
        let bytes = HTTPByteStream([5, 6])
        #expect(try await StreamHTTPBody(bytes, length: 2).buildEntity().makeStream().collect(upTo: 9) == [5, 6])
    }

    /// Produces pieces of one buffer, and logs its address. The buffer moves if a piece is still in use.
    private struct ReusedBuffer: HTTPByteSource {
        var buffer: [UInt8]
        let addresses: Log<Int>

        mutating func next() async throws -> ArraySlice<UInt8>? {
            buffer[0] &+= 1
            addresses.add(buffer.withUnsafeBytes { Int(bitPattern: $0.baseAddress) })
            return buffer[...]
        }
    }

    @Test func theBeginningDoesNotKeepThePieces() async throws {
        let addresses = Log<Int>()
        let stream = HTTPByteStream(ReusedBuffer(buffer: [UInt8](repeating: 0, count: 10_000), addresses: addresses))
        stream.observe(nil)
        var pieces = stream.makeAsyncIterator()
        for number in 1...3 {
            let count = try await pieces.next()?.count
            #expect(count == 10_000 && stream.beginning.count == min(number * 10_000, 16 << 10))
        }
        #expect(stream.beginning.first == 1 && stream.beginning[10_000] == 2)
        #expect(Set(addresses.values).count == 1)
    }

    @Test(arguments: [([[1, 2], [3]], 4), ([], 1), ([[]], 1), ([[1]], Int64.max)] as [([[UInt8]], Int64)])
    func aStreamThatEndsEarlyIsAnError(pieces: [[UInt8]], length: Int64) async throws {
        let stream = try await StreamHTTPBody(Self.pieces(pieces), length: length).buildEntity().makeStream()
        let produced = Int64(pieces.joined().count)
        await #expect(throws: HTTPBodyError.tooFewBytes(announced: length, produced: produced)) {
            try await stream.collect(upTo: 10)
        }
    }

    @Test(arguments: [([[1, 2], [3]], 2), ([[1, 2, 3]], 2), ([[1]], 0)] as [([[UInt8]], Int64)])
    func aStreamThatGoesOnIsAnError(pieces: [[UInt8]], length: Int64) async throws {
        let stream = try await StreamHTTPBody(Self.pieces(pieces), length: length).buildEntity().makeStream()
        var iterator = stream.makeAsyncIterator()
        var received: Int64 = 0
        await #expect(throws: HTTPBodyError.tooManyBytes(announced: length)) {
            while let piece = try await iterator.next() { received += Int64(piece.count) }
        }
        #expect(received <= length)
        #expect(try await iterator.next() == nil)
    }

    @Test func aNegativeLengthIsRefused() async throws {
        let body = StreamHTTPBody(Self.pieces([]), length: -1)
        #expect(throws: HTTPBodyError.negativeLength(-1)) { try body.buildEntity() }
        let entity = HTTPBodyEntity(
            content: .stream(length: .min, isReplayable: false) { HTTPByteStream([]) })
        await #expect(throws: HTTPBodyError.negativeLength(.min)) { try await entity.makeStream() }
    }

    @Test func theErrorOfAStreamIsPassedOn() async throws {
        let stream = try await StreamHTTPBody(Self.pieces([[1]], then: Fault()), length: 5).buildEntity().makeStream()
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == [1])
        await #expect(throws: Fault()) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        let entity = try StreamHTTPBody { () async throws -> HTTPByteStream in throw Fault() }.buildEntity()
        await #expect(throws: Fault()) { try await entity.makeStream() }
    }

    @Test func aPieceIsOnlyMadeWhenItIsAskedFor() async throws {
        let (asked, continuation) = AsyncStream.makeStream(of: Int.self)
        struct Source: HTTPByteSource {
            let asked: AsyncStream<Int>.Continuation
            func next() async throws -> ArraySlice<UInt8>? {
                asked.yield(1)
                return [1]
            }
        }
        let source = HTTPByteStream(Source(asked: continuation))
        var iterator = try await StreamHTTPBody(source, length: 10).buildEntity().makeStream().makeAsyncIterator()
        for _ in 0..<3 { #expect(try await iterator.next() == [1]) }
        continuation.finish()
        #expect(await asked.reduce(0, +) == 3)
    }

    @Test func aCancelledTaskGetsNoMorePieces() async throws {
        let entity = try StreamHTTPBody(length: nil) { AsyncStream<[UInt8]> { _ in } }.buildEntity()
        let (isReading, reading) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            let stream = try await entity.makeStream()
            reading.finish()
            return try await stream.collect(upTo: 1)
        }
        for await _ in isReading {}
        task.cancel()
        // The sequence ends or the source throws; either may see the cancellation first.
        let result = await task.result
        switch result {
        case .success(let bytes): #expect(bytes.isEmpty)
        case .failure(let error): #expect(error is CancellationError)
        }
    }
}
