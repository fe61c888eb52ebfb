// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing

@testable import jsonrpc

/// The trace of messages for a reader of standard error that is slow.
@Suite(.inTurn(within: .seconds(60))) struct MessageTraceTests {
    /// Shows messages while nobody reads, then reads everything.
    private func lines(limit: Int, _ show: (MessageTrace) -> Void) async throws -> [Substring] {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        let trace = MessageTrace(output: OutputStream(descriptor: writeEnd), limit: limit)
        show(trace)
        let output = Task {
            try await BlockingThread.value {
                defer { close(readEnd) }
                var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
                while case let count = read(readEnd, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        try await BlockingThread.value {
            trace.flush()
            close(writeEnd)
        }
        return try await output.value.split(separator: "\n")
    }

    @Test func messagesBeyondTheLimitAreCountedAndNotShown() async throws {
        // More than a pipe holds.
        let message = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
        let size = message.count + MessageTrace.messageOverhead
        let lines = try await lines(limit: 5 * size) { trace in
            for _ in 0..<12 { trace.received(message) }
        }
        #expect(lines.count == 6)
        #expect(lines.prefix(5).allSatisfy { $0.hasPrefix("<-- x") })
        #expect(lines.last == "* 7 messages are not shown, because standard error is read too slowly")
    }

    @Test func aMessageLargerThanTheLimitIsShownIfNoneWaits() async throws {
        let message = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
        let lines = try await lines(limit: 1000) { trace in
            trace.sent(message)
            trace.received([0x31])
        }
        #expect(lines.first?.count == message.count + 4)
        #expect(lines.dropFirst() == ["* 1 messages are not shown, because standard error is read too slowly"])
    }
}
