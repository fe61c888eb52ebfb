// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import JSONRPCHTTP

@Suite(.inTurn)
struct LearnedLimitTests {
    @Test func rejectionsHalveTheLimitDownToOne() {
        var limit = LearnedLimit()
        #expect(limit.members == nil)
        let limits = [100, 50, 25, 12, 6, 3, 1, 1].map { limit.rejected(count: $0, sentUnder: limit.members) }
        #expect(limits == [50, 25, 12, 6, 3, 1, 1, 1])
    }

    @Test func aRejectionOfASmallerArrayCounts() {
        var limit = LearnedLimit()
        #expect(limit.rejected(count: 100, sentUnder: nil) == 50)
        #expect(limit.rejected(count: 4, sentUnder: 50) == 2)
        // This array was sent before.
        #expect(limit.rejected(count: 50, sentUnder: 2) == 1)
    }

    @Test func fullArraysLetItGrowSlowly() {
        var limit = LearnedLimit()
        limit.accepted(count: 1000)
        #expect(limit.members == nil)
        _ = limit.rejected(count: 16, sentUnder: limit.members)
        for _ in 1..<LearnedLimit.acceptancesToGrow { limit.accepted(count: 8) }
        limit.accepted(count: 7)
        #expect(limit.members == 8)
        limit.accepted(count: 8)
        #expect(limit.members == 10)
        _ = limit.rejected(count: 2, sentUnder: limit.members)
        for _ in 0..<LearnedLimit.acceptancesToGrow { limit.accepted(count: 1) }
        #expect(limit.members == 2)
    }

    @Test func theLargestNumbersDoNotOverflow() {
        var limit = LearnedLimit()
        _ = limit.rejected(count: .max, sentUnder: limit.members)
        for _ in 0..<(10 * LearnedLimit.acceptancesToGrow) { limit.accepted(count: .max) }
        #expect(limit.members == nil)
    }
}
