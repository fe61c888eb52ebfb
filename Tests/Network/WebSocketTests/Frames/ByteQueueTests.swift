// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing

@testable import WebSocket

/// Bytes that wait for room. It measures the heap of the whole process, so it runs in a process of its own.
@Suite(.inTurn(within: .seconds(60)), .startsProcess) struct ByteQueueTests {
    /// Number 9: if a peer reads slowly, the queue of answers to its PINGs never becomes empty.
    @Test func aQueueThatNeverBecomesEmptyDoesNotGrow() async {
        await #expect(processExitsWith: .success) {
            var sockets: [Int32] = [0, 0]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &sockets) == 0 else {
                exit(EXIT_FAILURE)
            }
            let stream = ByteStream.plain(sockets[0])
            let peer = sockets[1]
            var queue = ByteQueue()
            var (next, expected) = (UInt8(0), UInt8(0))
            func fill() {
                while queue.count < 16_384 {
                    queue.append((0..<125).map { next &+ $0 })
                    next &+= 125
                }
                _ = queue.write(to: stream)
            }
            func readSome() -> Bool {
                var buffer = [UInt8](repeating: 0, count: 8192)
                let count = recv(peer, &buffer, buffer.count, 0)
                for byte in buffer.prefix(max(count, 0)) {
                    guard byte == expected else { return false }
                    expected &+= 1
                }
                return count > 0
            }
            // The kernel's buffers are full.
            while queue.count < 16_384 { fill() }
            let growth = await ProcessResources.heapGrowth(settlingTo: 1 << 20) {
                for _ in 0..<2000 {
                    guard readSome() else { exit(EXIT_FAILURE) }
                    // The kernel frees more room than was read.
                    repeat { fill() } while queue.isEmpty
                }
            }
            // 16 MB were sent.
            guard growth < 1 << 20 else {
                print("\(growth) bytes")
                exit(EXIT_FAILURE)
            }
        }
    }
}
