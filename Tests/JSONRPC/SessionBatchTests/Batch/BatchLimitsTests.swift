// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60)))
struct BatchLimitsTests {
    @Test(
        arguments: [
            ([], SessionConfiguration.BatchLimits(), []),
            ([10, 10, 10], SessionConfiguration.BatchLimits(), [0..<3]),
            ([10, 10, 10], SessionConfiguration.BatchLimits(maximumMembers: 1), [0..<1, 1..<2, 2..<3]),
            ([10, 10, 10], SessionConfiguration.BatchLimits(maximumMembers: 2), [0..<2, 2..<3]),
            ([10, 10, 10], SessionConfiguration.BatchLimits(maximumMembers: 0), [0..<1, 1..<2, 2..<3]),
            ([10, 10, 10], SessionConfiguration.BatchLimits(maximumBytes: 24), [0..<2, 2..<3]),
            ([10, 10, 10], SessionConfiguration.BatchLimits(maximumBytes: 23), [0..<1, 1..<2, 2..<3]),
            ([10, 500, 10], SessionConfiguration.BatchLimits(maximumBytes: 100), [0..<1, 1..<2, 2..<3]),
            ([10, 10, 10], SessionConfiguration.BatchLimits(maximumBytes: 0), [0..<1, 1..<2, 2..<3]),
            ([10, 10, 10], SessionConfiguration.BatchLimits.none, [0..<3]),
        ] as [([Int], SessionConfiguration.BatchLimits, [Range<Int>])])
    func membersAreDividedInOrder(sizes: [Int], limits: SessionConfiguration.BatchLimits, arrays: [Range<Int>]) {
        #expect(limits.split(sizes) == arrays)
    }

    @Test func longBatchGoesOutInSeveralArraysInOrder() async throws {
        let wire = await Wire(.with { $0.calls.batchLimits = SessionConfiguration.BatchLimits(maximumMembers: 2) })
        let requests = (0..<5).map { Subtract(minuend: $0, subtrahend: 0) }
        async let outcomes = wire.session.batch(requests)
        try await wire.peer.play(
            #"""
            --> [{"jsonrpc":"2.0","id":1,"method":"subtract","params":[0,0]},{"jsonrpc":"2.0","id":2,"method":"subtract","params":[1,0]}]
            --> [{"jsonrpc":"2.0","id":3,"method":"subtract","params":[2,0]},{"jsonrpc":"2.0","id":4,"method":"subtract","params":[3,0]}]
            --> [{"jsonrpc":"2.0","id":5,"method":"subtract","params":[4,0]}]
            <-- [{"jsonrpc":"2.0","id":5,"result":50}]
            <-- [{"jsonrpc":"2.0","id":3,"result":30},{"jsonrpc":"2.0","id":4,"error":{"code":4,"message":"m"}}]
            <-- [{"jsonrpc":"2.0","id":2,"result":20},{"jsonrpc":"2.0","id":1,"result":10}]
            """#)
        let four = CallError.answered(ErrorObject(code: 4, message: "m"))
        #expect(
            try await outcomes == [.success(10), .success(20), .success(30), .failure(four), .success(50)])
        await wire.session.close()
    }

    @Test func arraysStayWithinTheLimitOfBytes() async throws {
        let limit = 600
        let wire = await Wire(.with { $0.calls.batchLimits = SessionConfiguration.BatchLimits(maximumBytes: limit) })
        let task = Task {
            try await wire.session.batch((0..<20).map { Subtract(minuend: $0 * 1_000_000, subtrahend: 0) })
        }
        var members = 0
        while members < 20 {
            let message = try await wire.peer.expectMessage()
            #expect(message.bytes.count <= limit)
            let count = try #require(JSONValue(parsing: message.bytes).arrayValue).count
            #expect(count > 1)
            members += count
        }
        #expect(members == 20)
        await wire.session.close(drain: .zero)
        #expect(try await task.value.count == 20)
    }

    @Test func arrayOfNotificationsAloneWaitsForNothingWithinALongBatch() async throws {
        let wire = await Wire(.with { $0.calls.batchLimits = SessionConfiguration.BatchLimits(maximumMembers: 2) })
        let entries: [BatchEntry] = [
            .notification("a"), .notification("b"), .call("c"), .notification("d"), .notification("e"),
        ]
        async let outcomes = wire.session.batch(entries)
        try await wire.peer.play(
            #"""
            --> [{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]
            --> [{"jsonrpc":"2.0","id":1,"method":"c"},{"jsonrpc":"2.0","method":"d"}]
            --> [{"jsonrpc":"2.0","method":"e"}]
            <-- {"jsonrpc":"2.0","id":1,"result":5}
            """#)
        let results = try await outcomes
        #expect(results.map { $0 == nil } == [true, true, false, true, true])
        #expect(try results[2]?.get().text == "5")
        await wire.session.close()
    }

    @Test func arraysThatWaitForRoomAreSentInOrder() async throws {
        let wire = await Wire(
            .with {
                $0.calls.batchLimits = SessionConfiguration.BatchLimits(maximumMembers: 2)
                $0.calls.maximumInFlight = 2
            })
        async let outcomes = wire.session.batch([.call("a"), .call("b"), .call("c"), .notification("n"), .call("d")])
        for (ids, count) in [([1, 2], 2), ([3], 2), ([4], 1)] {
            try await wire.peer.expectBatch(count: count)
            for id in ids { try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(id)}"#) }
        }
        let texts = try await outcomes.map { try $0?.get().text ?? "-" }
        #expect(texts == ["1", "2", "3", "-", "4"])
        await wire.session.close()
        #expect(wire.session.callCounts.issued == wire.session.callCounts.settled)
    }

    @Test func cancellingADividedBatchGivesUpEveryArray() async throws {
        let wire = await Wire(
            .with {
                $0.calls.batchLimits = SessionConfiguration.BatchLimits(maximumMembers: 2)
                $0.calls.maximumInFlight = 2
            })
        let requests = (0..<6).map { Subtract(minuend: $0, subtrahend: 0) }
        let task = Task { try await wire.session.batch(requests) }
        try await wire.peer.expectBatch(count: 2)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":1,"result":10}"#)
        try await wire.untilInFlight(1)
        task.cancel()
        let outcomes = try await task.value
        #expect(outcomes.first == .success(10))
        #expect(outcomes.dropFirst().allSatisfy { $0 == .failure(.cancelled) })
        await wire.session.close()
        #expect(wire.session.callCounts.issued == wire.session.callCounts.settled)
    }
}
