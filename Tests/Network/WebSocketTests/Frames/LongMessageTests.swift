// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WebSocket

/// Messages whose bytes the outbox shares with the sender until they are written.
@Suite(.inTurn) struct LongMessageTests {
    private typealias Frame = OutboxTests.Frame

    /// An outbox, and the chunks that the service thread takes from it.
    private final class Bench {
        var outbox: Outbox
        var chunks: ChunkQueue

        init(isMasked: Bool = false) {
            outbox = Outbox(isMasked: isMasked, lowWaterBytes: 1000)
            chunks = ChunkQueue(isMasked: isMasked)
        }

        /// Returns the message's position.
        @discardableResult
        func share(_ pieces: [UInt8]..., opcode: Opcode = .text) -> UInt64 {
            position(outbox.append(sharing: pieces.map { $0[...] }, opcode: opcode))
        }

        /// Returns the message's position.
        @discardableResult
        func frame(_ bytes: [UInt8]) -> UInt64 {
            bytes.withUnsafeBytes { raw in
                withUnsafePointer(to: raw) {
                    position(outbox.append(UnsafeBufferPointer(start: $0, count: 1), opcode: .text))
                }
            }
        }

        private func position(_ result: EnqueueOutcome) -> UInt64 {
            guard case .queued(let ticket, _) = result else {
                Issue.record("refused")
                return .max
            }
            return ticket.position
        }

        /// Writes one chunk. `nil` when there is none.
        func write() -> [UInt8]? {
            guard chunks.prepare(taking: { outbox.handOver(to: &$0) }) else { return nil }
            let (bytes, endPosition) = chunks.chunk
            #expect(bytes.count <= 65_536)
            let copy = Array(bytes)
            _ = outbox.handed(bytes: copy.count, endPosition: endPosition)
            chunks.chunkWritten()
            return copy
        }

        func writeAll() -> [[UInt8]] {
            var all: [[UInt8]] = []
            while let chunk = write() { all.append(chunk) }
            return all
        }
    }

    private func pattern(_ count: Int, from first: Int = 0) -> [UInt8] {
        (first..<first + count).map { UInt8(truncatingIfNeeded: $0 % 251) }
    }

    @Test func theOutboxKeepsTheArraysThemselvesAndFramesNothing() throws {
        let outbox = Bench(isMasked: true)
        let bytes = [UInt8](repeating: 1, count: 64 << 20)
        outbox.share([2, 3], bytes)
        var buffer = FrameBuffer()
        #expect(outbox.outbox.handOver(to: &buffer) == true)
        #expect(buffer.count == 0)
        #expect(buffer.storage.count == 0)
        let kept = try #require(buffer.longMessages.first?.pieces.last)
        let isSameMemory = kept.withUnsafeBytes { kept in
            bytes.withUnsafeBytes { $0.baseAddress == kept.baseAddress && $0.count == kept.count }
        }
        #expect(isSameMemory)
    }

    @Test(arguments: [false, true], [0, 1, 125, 126, 20_000, 65_522, 65_523, 131_044, 131_045, 300_000])
    func aLongMessageIsCutIntoFragments(isMasked: Bool, size: Int) {
        let bench = Bench(isMasked: isMasked)
        let payload = pattern(size)
        let cut = min(1001, size)
        bench.share(Array(payload[..<cut]), [], Array(payload[cut...]), opcode: .binary)
        #expect(bench.outbox.queuedBytes == Int(bench.outbox.acceptedPosition))
        let chunks = bench.writeAll()
        let frames = chunks.flatMap { Frame.all(in: $0) }
        #expect(frames.count == max(1, (size + 65_521) / 65_522))
        #expect(frames.first?.opcode == 2)
        #expect(frames.dropFirst().allSatisfy { $0.opcode == 0 })
        #expect(frames.dropLast().allSatisfy { !$0.isFinal })
        #expect(frames.last?.isFinal == true)
        #expect(frames.flatMap(\.payload) == payload)
        // The position was computed before any byte was framed.
        #expect(chunks.reduce(0) { $0 + $1.count } == Int(bench.outbox.acceptedPosition))
        #expect(bench.outbox.handedPosition == bench.outbox.acceptedPosition)
        #expect(bench.outbox.queuedBytes == 0)
    }

    @Test func fragmentsHaveMaskingKeysOfTheirOwn() {
        let bench = Bench(isMasked: true)
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        bench.share(bytes)
        // The payload is zero, so the masked payload is the key.
        let keys = bench.writeAll().map { Array($0.suffix(4)) }
        #expect(Set(keys).count == keys.count)
        #expect(bytes.allSatisfy { $0 == 0 })
    }

    @Test func handingOverHalfOfAMessageIsSeenInThePosition() {
        let bench = Bench()
        let long = bench.share(pattern(200_000))
        let next = bench.frame([1])
        _ = bench.write()
        _ = bench.write()
        #expect(bench.outbox.handedPosition > long)
        #expect(bench.outbox.handedPosition < next)
        #expect(bench.outbox.withdraw(long) == false)
    }

    @Test func aWithdrawnLongMessageIsLeftOutAndItsMemoryGivenUp() {
        let bench = Bench(isMasked: true)
        let first = bench.frame([1])
        let long = bench.share(pattern(200_000))
        let between = bench.frame([2])
        let other = bench.share(pattern(20_000))
        let last = bench.frame([3])
        let before = bench.outbox.queuedBytes
        #expect(bench.outbox.withdraw(long + 1) == false)
        #expect(bench.outbox.withdraw(long) == true)
        #expect(bench.outbox.withdraw(long) == false)
        #expect(bench.outbox.queuedBytes == before - Int(between - long))
        #expect(bench.outbox.withdraw(between) == true)
        #expect(bench.outbox.withdraw(last) == true)
        let frames = bench.writeAll().flatMap { Frame.all(in: $0) }
        #expect(frames.map(\.payload) == [[1], pattern(20_000)])
        #expect(bench.outbox.queuedBytes == 0)
        for position in [first, long, between, other, last] { #expect(bench.outbox.withdraw(position) == false) }
    }

    @Test func withdrawingTheOnlyLongMessageLeavesNothingToSend() {
        let bench = Bench()
        let long = bench.share(pattern(70_000))
        #expect(bench.outbox.withdraw(long) == true)
        #expect(bench.write() == nil)
        let next = bench.outbox.append(sharing: [[1]], opcode: .text)
        guard case .queued(_, true) = next else {
            Issue.record("nobody wakes the service thread")
            return
        }
    }

    @Test func messagesOfAllLengthsKeepTheirOrder() {
        var random = SystemRandomNumberGenerator()
        for round in 0..<8 {
            let bench = Bench(isMasked: round % 2 == 0)
            var expected: [(position: UInt64, payload: [UInt8])] = []
            var written: [UInt8] = []
            for number in 0..<30 {
                let size = [3, 600, 20_000, 66_000, 140_000].randomElement(using: &random) ?? 0
                let payload = pattern(size, from: number)
                let isShared = Bool.random(using: &random)
                expected.append((isShared ? bench.share(payload) : bench.frame(payload), payload))
                switch Int.random(in: 0..<8, using: &random) {
                case 0:
                    if let chunk = bench.write() { written += chunk }
                case 1, 2:
                    let index = Int.random(in: 0..<expected.count, using: &random)
                    let queued = bench.outbox.queuedBytes
                    if bench.outbox.withdraw(expected[index].position) {
                        expected.remove(at: index)
                        #expect(bench.outbox.queuedBytes < queued)
                    }
                default: break
                }
            }
            while let chunk = bench.write() { written += chunk }
            var messages: [[UInt8]] = []
            for frame in Frame.all(in: written) {
                if frame.opcode == 0, !messages.isEmpty {
                    messages[messages.count - 1] += frame.payload
                } else {
                    messages.append(frame.payload)
                }
            }
            #expect(messages == expected.map(\.payload))
            #expect(bench.outbox.queuedBytes == 0)
        }
    }
}
