// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization
import TestTurns
import Testing

@testable import jsonrpc

@Suite(.inTurn) struct NotificationPrinterTests {
    private typealias Element = NotificationElement<InboundNotification>

    private let tick = Element.value(InboundNotification(method: "tick", params: nil))

    private func lines(_ elements: [Element], count: Int?) async throws -> (isDone: Bool, lines: Int) {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        for element in elements { continuation.yield(element) }
        continuation.finish()
        let printed = Mutex(0)
        let printer = NotificationPrinter(count: count) { _ in printed.withLock { $0 += 1 } }
        let isDone = try await printer.print(stream)
        return (isDone, printed.withLock { $0 })
    }

    @Test func notificationsThatAGapLeavesOutCount() async throws {
        let gap = Element.gap(NotificationGap(reason: .overflow, count: 2))
        #expect(try await lines([tick, gap, tick], count: 3) == (true, 2))
        #expect(try await lines([tick, gap, tick, tick], count: 4) == (true, 3))
        #expect(try await lines([gap], count: 1) == (true, 1))
    }

    @Test func aGapOfUnknownSizeDoesNotCount() async throws {
        let gap = Element.gap(NotificationGap(reason: .reconnected, count: nil))
        #expect(try await lines([gap, tick], count: 1) == (true, 2))
        #expect(try await lines([gap, tick], count: 2) == (false, 2))
    }

    @Test func withoutACountThereIsNoEnd() async throws {
        #expect(try await lines([tick, tick], count: nil) == (false, 2))
    }
}
