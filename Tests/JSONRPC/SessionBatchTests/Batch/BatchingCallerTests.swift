// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60)))
struct BatchingCallerTests {
    private let clock = ManualClock()

    private func subtract(_ minuend: Int) -> Subtract { Subtract(minuend: minuend, subtrahend: 0) }

    @Test func callsWithinTheWindowGoOutInOneArray() async throws {
        let wire = await Wire()
        let caller = BatchingCaller(over: wire.session, window: .seconds(1), clock: clock)
        let first = Task { try await caller.call(subtract(1)) }
        await clock.waitForSleepers(1)
        // The window is open for the following calls.
        let second = Task { try await caller.call(subtract(2)) }
        let third = Task { await caller.result(of: subtract(3)) }
        try await yieldUntil("three calls are gathered") { caller.gatheredCount >= 3 }
        try wire.peer.expectNothingMore()
        clock.advance(by: .seconds(1))
        let members = try await wire.peer.expectBatch(count: 3)
        for member in members {
            let minuend = try #require(member.params?[0]?.intValue)
            let id = try #require(member.id)
            try wire.peer.send(
                minuend == 3
                    ? #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":3,"message":"m"}}"#
                    : #"{"jsonrpc":"2.0","id":\#(id),"result":\#(minuend * 10)}"#)
        }
        #expect(try await first.value == 10)
        #expect(try await second.value == 20)
        #expect(await third.value == .failure(.answered(ErrorObject(code: 3, message: "m"))))
        await wire.session.close()
    }

    @Test func limitSendsBeforeTheWindowIsOver() async throws {
        let wire = await Wire()
        let caller = BatchingCaller(over: wire.session, window: .seconds(1), limit: 2, clock: clock)
        let tasks = (1...4).map { minuend in Task { try await caller.call(subtract(minuend)) } }
        for _ in 0..<2 {
            for member in try await wire.peer.expectBatch(count: 2) {
                let (id, minuend) = (try #require(member.id), try #require(member.params?[0]?.intValue))
                try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(minuend * 10)}"#)
            }
        }
        for (index, task) in tasks.enumerated() { #expect(try await task.value == (index + 1) * 10) }
        await wire.session.close()
    }

    @Test func batchesAboveTheSessionsLimitAreDivided() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 2 })
        let caller = BatchingCaller(over: wire.session, window: .seconds(1), limit: 4, clock: clock)
        let tasks = (1...4).map { minuend in Task { try await caller.call(subtract(minuend)) } }
        for _ in 0..<2 {
            for member in try await wire.peer.expectBatch(count: 2) {
                let (id, minuend) = (try #require(member.id), try #require(member.params?[0]?.intValue))
                try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(minuend * 10)}"#)
            }
        }
        for (index, task) in tasks.enumerated() { #expect(try await task.value == (index + 1) * 10) }
        await wire.session.close()
    }

    @Test func callThatStaysAloneGoesOutAsItIs() async throws {
        let wire = await Wire()
        let caller = BatchingCaller(over: wire.session, window: .seconds(1), clock: clock)
        async let difference = caller.call(subtract(1))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try wire.peer.reply(to: try await wire.peer.expectRequest("subtract", params: [1, 0]), result: 5)
        #expect(try await difference == 5)
        await wire.session.close()
    }

    @Test func differentTimeoutsGoOutInArraysOfTheirOwn() async throws {
        let sessionClock = ManualClock()
        let wire = await Wire(.with { $0.clock = sessionClock })
        let caller = BatchingCaller(over: wire.session, window: .seconds(1), limit: 4, clock: clock)
        let short = (1...2).map { minuend in
            Task { await caller.result(of: subtract(minuend), timeout: .seconds(2)) }
        }
        let long = (3...4).map { minuend in
            Task { await caller.result(of: subtract(minuend), timeout: .seconds(5)) }
        }
        var ids: [Int: Int] = [:]
        for _ in 0..<2 {
            let members = try await wire.peer.expectBatch(count: 2)
            for member in members {
                ids[try #require(member.params?[0]?.intValue)] = try #require(member.id?.intValue)
            }
            let minuends = members.compactMap { $0.params?[0]?.intValue }.sorted()
            #expect(minuends == [1, 2] || minuends == [3, 4])
        }
        await sessionClock.waitForSleepers(1)
        sessionClock.advance(by: .seconds(2))
        for task in short { #expect(await task.value.callError?.clientError?.code == .timedOut) }
        for minuend in 3...4 {
            try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(try #require(ids[minuend])),"result":1}"#)
        }
        for task in long { #expect(await task.value == .success(1)) }
        await wire.session.close()
    }

    @Test func cancelledCallEndsAtOnceAndTheOthersGoOn() async throws {
        let wire = await Wire(.with { $0.calls.cancellationNotice = .cancelRequest })
        let caller = BatchingCaller(over: wire.session, window: .seconds(1), limit: 3, clock: clock)
        let early = Task { await caller.result(of: subtract(9)) }
        await clock.waitForSleepers(1)
        early.cancel()
        #expect(await early.value == .failure(.cancelled))

        let tasks = (1...3).map { minuend in Task { await caller.result(of: subtract(minuend)) } }
        let members = try await wire.peer.expectBatch(count: 3)
        #expect(members.compactMap { $0.params?[0]?.intValue }.sorted() == [1, 2, 3])
        tasks[0].cancel()
        #expect(await tasks[0].value == .failure(.cancelled))
        for member in members {
            try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(try #require(member.id)),"result":1}"#)
        }
        #expect(await tasks[1].value == .success(1))
        #expect(await tasks[2].value == .success(1))
        await wire.session.close()
    }

    @Test func peerIsToldWhenAllCallsOfAnArrayAreGivenUp() async throws {
        let wire = await Wire(.with { $0.calls.cancellationNotice = .cancelRequest })
        let caller = BatchingCaller(over: wire.session, window: .seconds(1), limit: 2, clock: clock)
        let tasks = (1...2).map { minuend in Task { await caller.result(of: subtract(minuend)) } }
        try await wire.peer.expectBatch(count: 2)
        for task in tasks {
            task.cancel()
            #expect(await task.value == .failure(.cancelled))
        }
        try await wire.peer.expectNotification("$/cancelRequest")
        try await wire.peer.expectNotification("$/cancelRequest")
        await wire.session.close()
        #expect(wire.session.callCounts.issued == wire.session.callCounts.settled)
    }

    @Test func callThatCannotBeSentHarmsNoOther() async throws {
        let wire = await Wire()
        let caller = BatchingCaller(over: wire.session, limit: 2, clock: clock)
        await #expect(throws: ClientError.self) { try await caller.callRaw("m", params: RawJSON(7)) }
        await wire.session.close()
        let closed = (1...2).map { minuend in Task { await caller.result(of: subtract(minuend)) } }
        for task in closed { #expect(await task.value.callError?.delivery == .notSent) }
    }

    @Test func notificationsAndBatchesAreHandedOnAtOnce() async throws {
        let wire = await Wire()
        let caller = BatchingCaller(over: wire.session, window: .seconds(1), clock: clock)
        try await caller.call(Log("x"))
        try await wire.peer.expectNotification("log", params: ["x"])
        async let outcomes = caller.batch([subtract(1), subtract(2)])
        try await wire.peer.expectBatch(count: 2)
        try wire.peer.send(#"[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":2}]"#)
        #expect(try await outcomes == [.success(1), .success(2)])
        await wire.session.close()
    }
}
