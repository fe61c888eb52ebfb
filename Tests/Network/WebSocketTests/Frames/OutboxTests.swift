// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WebSocket

@Suite(.inTurn) struct OutboxTests {
    /// An outbox, its input, and the buffer to which it hands frames over.
    private final class Bench {
        var outbox: Outbox
        var buffer = FrameBuffer()

        init(isMasked: Bool = false, lowWaterBytes: Int = 1000) {
            outbox = Outbox(isMasked: isMasked, lowWaterBytes: lowWaterBytes)
        }

        func append(_ pieces: [[UInt8]], opcode: Opcode = .text) -> EnqueueOutcome {
            func descend(_ index: Int, _ buffers: [UnsafeRawBufferPointer]) -> EnqueueOutcome {
                guard index < pieces.count else {
                    return buffers.withUnsafeBufferPointer { outbox.append($0, opcode: opcode) }
                }
                return pieces[index].withUnsafeBytes { descend(index + 1, buffers + [$0]) }
            }
            return descend(0, [])
        }

        func append(_ text: String) -> UInt64? {
            guard case .queued(let ticket, _) = append([Array(text.utf8)]) else { return nil }
            return ticket.position
        }

        /// Hands over, and reads the frames to write.
        func handOver() -> [Frame] {
            buffer.removeAll()
            guard outbox.handOver(to: &buffer) else { return [] }
            return Frame.all(in: Array(buffer.bytes))
        }
    }

    /// A frame, read back by code that is independent of the writer.
    struct Frame: Equatable {
        var isFinal: Bool
        var opcode: UInt8
        var payload: [UInt8]
        var text: String { String(decoding: payload, as: UTF8.self) }

        static func all(in bytes: [UInt8]) -> [Frame] {
            var frames: [Frame] = []
            var rest = bytes[...]
            while let first = rest.popFirst(), let second = rest.popFirst() {
                var length = Int(second & 0x7F)
                if length >= 126 {
                    let size = length == 126 ? 2 : 8
                    length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
                    rest = rest.dropFirst(size)
                }
                var key: [UInt8] = [0, 0, 0, 0]
                if second & 0x80 != 0 {
                    key = Array(rest.prefix(4))
                    rest = rest.dropFirst(4)
                }
                let payload = rest.prefix(length).enumerated().map { $0.element ^ key[$0.offset % 4] }
                frames.append(Frame(isFinal: first & 0x80 != 0, opcode: first & 0x7F, payload: payload))
                rest = rest.dropFirst(length)
            }
            return frames
        }
    }

    @Test func positionsAreTheBytesAccepted() {
        let bench = Bench()
        #expect(bench.append("abc") == 0)
        #expect(bench.append("de") == 5)
        #expect(bench.outbox.acceptedPosition == 9)
        #expect(bench.outbox.queuedBytes == 9)
    }

    @Test func onlyTheFirstMessageAsksForAWakeUp() {
        let bench = Bench()
        let first = bench.append([[1]])
        let second = bench.append([[2]])
        #expect(first == .queued(OutboxTicket(position: 0), mustWake: true))
        #expect(second == .queued(OutboxTicket(position: 3), mustWake: false))
        // There is more to come, so the service thread comes without being woken.
        #expect(bench.handOver().count == 2)
        let third = bench.append([[3]])
        #expect(third == .queued(OutboxTicket(position: 6), mustWake: false))
        #expect(bench.handOver().count == 1)
        // The outbox was empty, so the next message must wake the thread.
        #expect(bench.handOver().isEmpty)
        let fourth = bench.append([[4]])
        #expect(fourth == .queued(OutboxTicket(position: 9), mustWake: true))
    }

    @Test func lowWaterMarkBelowZeroIsZero() {
        let bench = Bench(lowWaterBytes: -1)
        #expect(bench.append("abc") == 0)
        #expect(bench.outbox.handed(bytes: 5, endPosition: 5) == true)
    }

    @Test(arguments: [false, true], [0, 1, 7, 8, 9, 125, 126, 65_521, 65_522])
    func piecesBecomeOneFrame(isMasked: Bool, size: Int) {
        let bench = Bench(isMasked: isMasked)
        let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        for cut in Set([0, 1, 3, size / 2, size]) where cut <= size {
            _ = bench.append([Array(payload[..<cut]), [], Array(payload[cut...])])
            #expect(bench.handOver() == [Frame(isFinal: true, opcode: 1, payload: payload)])
        }
    }

    @Test func chunksHoldWholeFramesAndAtMost64KiB() {
        let bench = Bench()
        for size in stride(from: 0, to: 40_000, by: 777) { _ = bench.append([[UInt8](repeating: 1, count: size)]) }
        let frames = bench.handOver()
        var read: [Frame] = []
        for index in 0..<bench.buffer.chunks.count {
            let bytes = Array(bench.buffer.bytes(ofChunk: index))
            #expect(bytes.count <= FrameBuffer.maximumChunkBytes)
            read += Frame.all(in: bytes)
        }
        #expect(read == frames)
        #expect(bench.buffer.chunks.count > 10)
        #expect(bench.buffer.chunks.last?.endPosition == bench.outbox.acceptedPosition)
    }

    @Test func withdrawnMessagesAreNotSent() throws {
        let bench = Bench(isMasked: true)
        let first = try #require(bench.append("first"))
        let second = try #require(bench.append("second"))
        let last = try #require(bench.append("last"))
        let before = bench.outbox.queuedBytes
        #expect(bench.outbox.withdraw(second) == true)
        #expect(bench.outbox.withdraw(second) == false)
        #expect(bench.outbox.queuedBytes == before - 12)
        let texts = bench.handOver().map(\.text)
        #expect(texts == ["first", "last"])
        for position in [first, second, last] { #expect(bench.outbox.withdraw(position) == false) }
        #expect(bench.buffer.chunks.last?.endPosition == bench.outbox.acceptedPosition)
    }

    @Test func withdrawingEverythingLeavesNothingToSend() throws {
        let bench = Bench()
        let position = try #require(bench.append("gone"))
        #expect(bench.outbox.withdraw(position) == true)
        #expect(bench.handOver().isEmpty)
        #expect(bench.outbox.queuedBytes == 0)
        let next = bench.append([[1]])
        #expect(next == .queued(OutboxTicket(position: 6), mustWake: true))
    }

    @Test func aPositionThatWasNeverGivenOutWithdrawsNothing() {
        let bench = Bench()
        _ = bench.append("abc")
        #expect(bench.outbox.withdraw(99) == false)
    }

    @Test func theLowWaterMarkIsToldOnce() {
        let bench = Bench(lowWaterBytes: 10)
        for _ in 0..<3 { _ = bench.append([[UInt8](repeating: 1, count: 6)]) }
        #expect(bench.outbox.handed(bytes: 8, endPosition: 8) == false)
        #expect(bench.outbox.handed(bytes: 8, endPosition: 16) == true)
        #expect(bench.outbox.handed(bytes: 8, endPosition: 24) == false)
        #expect(bench.outbox.queuedBytes == 0)
        #expect(bench.outbox.handedPosition == 24)
    }

    @Test func aClosedOutboxRefuses() {
        let bench = Bench()
        _ = bench.append("before")
        bench.outbox.close()
        let result = bench.append([[1]])
        #expect(result == .refused)
        #expect(bench.handOver().map(\.text) == ["before"])
    }

    @Test func maskingKeysDiffer() {
        var keys = MaskingKeys()
        var seen: Set<UInt32> = []
        for _ in 0..<5000 { seen.insert(keys.draw()) }
        #expect(seen.count > 4990)
    }
}
