// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WebSocket

@Suite(.inTurn) struct MessageAssemblerTests {
    private enum Outcome: Equatable { case inPlace, delivered([UInt8]), failed, waiting }

    private func feed(_ assembler: inout MessageAssembler, _ piece: [UInt8], last: Bool, remaining: Int = 0) -> Outcome
    {
        let action = piece.withUnsafeBytes { assembler.pieceReceived($0, isLast: last, remaining: remaining) }
        switch action {
        case .deliverPiece: return .inPlace
        case .deliver(let bytes): return .delivered(bytes)
        case .fail: return .failed
        case .wait: return .waiting
        }
    }

    @Test func aWholeMessageIsLeftWhereItLies() {
        var assembler = MessageAssembler(maximumMessageBytes: 10)
        #expect(feed(&assembler, [1, 2], last: true) == .inPlace)
        #expect(feed(&assembler, [], last: true) == .inPlace)
    }

    @Test func piecesArePutTogether() {
        var assembler = MessageAssembler(maximumMessageBytes: 10)
        #expect(feed(&assembler, [1, 2], last: false, remaining: 3) == .waiting)
        #expect(feed(&assembler, [3, 4, 5], last: false) == .waiting)
        #expect(feed(&assembler, [], last: true) == .delivered([1, 2, 3, 4, 5]))
        #expect(feed(&assembler, [6], last: true) == .inPlace)
    }

    @Test func theLimitIsExact() {
        var assembler = MessageAssembler(maximumMessageBytes: 4)
        #expect(feed(&assembler, [1, 2, 3, 4], last: true) == .inPlace)
        #expect(feed(&assembler, [1, 2, 3, 4, 5], last: true) == .failed)
    }

    @Test func theLimitHoldsForWhatIsAnnounced() {
        var assembler = MessageAssembler(maximumMessageBytes: 4)
        #expect(feed(&assembler, [1], last: false, remaining: 4) == .failed)
        #expect(feed(&assembler, [1], last: false, remaining: .max) == .failed)
    }

    @Test func theLimitHoldsAcrossFragments() {
        var assembler = MessageAssembler(maximumMessageBytes: 4)
        #expect(feed(&assembler, [1, 2], last: false) == .waiting)
        #expect(feed(&assembler, [3, 4], last: false) == .waiting)
        #expect(feed(&assembler, [5], last: true) == .failed)
    }

    @Test func aMessageOf64MiBIsPutTogetherInOnePlaceOfItsSize() throws {
        let (size, piece) = (64 << 20, [UInt8](repeating: 1, count: 16_384))
        var assembler = MessageAssembler(maximumMessageBytes: size)
        var delivered: [UInt8]?
        for received in stride(from: piece.count, through: size, by: piece.count) {
            let action = piece.withUnsafeBytes {
                assembler.pieceReceived($0, isLast: received == size, remaining: size - received)
            }
            if case .deliver(let bytes) = action { delivered = bytes }
        }
        let bytes = try #require(delivered)
        #expect(bytes.count == size)
        // The allocator rounds up to pages; growing step by step would have taken up to twice the size.
        #expect(bytes.capacity < size + 65_536)
    }
}
