// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WebSocket

/// `WebSocketConfiguration.coalescesMessages`: the messages of a chunk are written together.
@Suite(.inTurn) struct CoalescingTests {
    private typealias Frame = OutboxTests.Frame

    /// Appends messages of these sizes (long ones shared), withdraws some, and returns the messages of each chunk.
    private func chunks(
        _ sizes: [Int], sharedFrom threshold: Int = 1000, withdrawing withdrawn: Set<Int> = [], coalesces: Bool
    ) -> [[Int]] {
        var outbox = Outbox(isMasked: false, lowWaterBytes: 1000, coalesces: coalesces)
        var queue = ChunkQueue(isMasked: false, coalesces: coalesces)
        for (index, size) in sizes.enumerated() {
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: size)
            let result =
                if size >= threshold {
                    outbox.append(sharing: [bytes[...]], opcode: .text)
                } else {
                    bytes.withUnsafeBytes { raw in
                        withUnsafePointer(to: raw) {
                            outbox.append(UnsafeBufferPointer(start: $0, count: 1), opcode: .text)
                        }
                    }
                }
            guard case .queued(let ticket, _) = result else {
                Issue.record("refused")
                continue
            }
            if withdrawn.contains(index) {
                let isWithdrawn = outbox.withdraw(ticket.position)
                #expect(isWithdrawn)
            }
        }
        var chunks: [[Int]] = []
        while queue.prepare(taking: { outbox.handOver(to: &$0) }) {
            let (bytes, endPosition) = queue.chunk
            chunks.append(Frame.all(in: Array(bytes)).map { Int($0.payload.first ?? 0) })
            _ = outbox.handed(bytes: bytes.count, endPosition: endPosition)
            queue.chunkWritten()
        }
        return chunks
    }

    @Test func messagesThatWaitShareAWriteByDefault() {
        #expect(chunks([1, 2, 3, 4], coalesces: true) == [[0, 1, 2, 3]])
        #expect(chunks([2000, 3000, 4], coalesces: true) == [[0, 1], [2]])
    }

    @Test func withoutCoalescingEachMessageHasAWriteOfItsOwn() {
        #expect(chunks(Array(repeating: 10, count: 64), coalesces: false) == (0..<64).map { [$0] })
        #expect(chunks([1, 2000, 3000, 4, 5, 6000], coalesces: false) == (0..<6).map { [$0] })
    }

    @Test func withdrawnMessagesLeaveTheOthersApart() {
        #expect(chunks([1, 2, 3, 4], withdrawing: [1], coalesces: false) == [[0], [2], [3]])
        #expect(
            chunks([2000, 1, 2000, 2000, 1, 1], withdrawing: [0, 2, 4], coalesces: false) == [[1], [3], [5]])
    }

    @Test func aMessageThatIsLongerThanAWriteIsNotMixedWithOthers() {
        let fragments = chunks([1, 150_000, 2, 70_000, 70_000], coalesces: false)
        #expect(fragments.allSatisfy { Set($0).count == 1 })
        #expect(fragments.flatMap(\.self) == [0, 1, 1, 1, 2, 3, 3, 4, 4])
    }
}
