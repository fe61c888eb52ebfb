// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct AdmissionTests {
    @Test func callersWaitInOrderAtTheLimit() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 1 })
        async let first: Int = wire.session.call("first")
        let firstRequest = try await wire.peer.expectRequest("first")
        async let second: Int = wire.session.call("second")
        try await wire.untilIssued(2)
        async let third: Int = wire.session.call("third")
        try await wire.untilIssued(3)
        #expect(wire.session.callsInFlight == 1)
        try wire.peer.reply(to: firstRequest, result: 1)
        try wire.peer.reply(to: try await wire.peer.expectRequest("second"), result: 2)
        try wire.peer.reply(to: try await wire.peer.expectRequest("third"), result: 3)
        #expect(try await (first, second, third) == (1, 2, 3))
        await wire.session.close()
    }

    @Test func callerWhoWaitsCanBeCancelled() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 1 })
        async let first: Int = wire.session.call("first")
        let request = try await wire.peer.expectRequest("first")
        let second = Task { try await wire.session.callRaw("second") }
        try await wire.untilIssued(2)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        try wire.peer.reply(to: request, result: 1)
        #expect(try await first == 1)
        await wire.session.close()
        try await wire.peer.expectClosure()
        try wire.peer.expectNothingMore()
    }

    @Test func callerWhoWaitsTimesOutAsNotSent() async throws {
        let clock = ManualClock()
        let wire = await Wire(
            .with {
                $0.calls.maximumInFlight = 1
                $0.clock = clock
            })
        async let first: Int = wire.session.call("first", timeout: nil)
        let request = try await wire.peer.expectRequest("first")
        async let second = outcome { try await wire.session.callRaw("second", timeout: .seconds(1)) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        let error = try #require(await second.failure as? ClientError)
        #expect(error.code == .timedOut)
        #expect(error.delivery == .notSent)
        try wire.peer.reply(to: request, result: 1)
        #expect(try await first == 1)
        await wire.session.close()
    }

    @Test func sendersWaitWhileTheOutboxIsFull() async throws {
        let wire = await Wire(.with { $0.calls.maximumQueuedBytes = 0 }, holdsOutbox: true)
        let large = String(repeating: "x", count: SessionConfiguration.Calls.minimumQueuedBytes)
        try await wire.session.notify("large", params: [large])
        async let waiting: Void = wire.session.notify("waiting")
        try await wire.untilIssued(1)
        async let call: Int = wire.session.call("call")
        try await wire.untilIssued(2)
        #expect(wire.session.callsInFlight == 0)
        wire.near.releaseOutbox()
        try await wire.peer.expectNotification("large")
        try await wire.peer.expectNotification("waiting")
        try await waiting
        try wire.peer.reply(to: try await wire.peer.expectRequest("call"), result: 1)
        #expect(try await call == 1)
        await wire.session.close()
    }

    @Test func wireOrderIsIDOrder() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 7 })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await wire.session.callRaw("m") } }
            for id in 1...100 {
                let request = try await wire.peer.expectRequest("m")
                #expect(request.id == .number(JSONNumber(Int64(id))))
                try wire.peer.reply(to: request, result: 0)
            }
            try await group.waitForAll()
        }
        await wire.session.close()
    }
}
