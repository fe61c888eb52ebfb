// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing

@testable import Sockets

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
            // Compared as wholes: a loop over 16 MB takes two minutes under a sanitizer.
            let pattern = (0..<8448).map { UInt8(truncatingIfNeeded: $0) }
            var buffer = [UInt8](repeating: 0, count: 8192)
            var (next, expected) = (0, 0)
            func fill() {
                while queue.count < 16_384 {
                    queue.append(pattern[next..<next + 125])
                    next = (next + 125) % 256
                }
                _ = queue.write(to: stream)
            }
            func readSome() -> Bool {
                let count = recv(peer, &buffer, buffer.count, 0)
                guard count > 0, buffer[..<count] == pattern[expected..<expected + count] else { return false }
                expected = (expected + count) % 256
                return true
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
