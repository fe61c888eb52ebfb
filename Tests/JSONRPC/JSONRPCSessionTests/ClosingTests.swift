// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct ClosingTests {
    @Test func closeLetsCallsInFlightEnd() async throws {
        let wire = await Wire()
        async let answer: Int = wire.session.call("m")
        let request = try await wire.peer.expectRequest("m")
        async let closing: Void = wire.session.close(code: 1001, reason: "bye")
        await wire.session.reaches(.draining)
        let refused = try #require(await outcome { try await wire.session.callRaw("n") }.failure as? ClientError)
        #expect(refused.code == .closed)
        #expect(refused.delivery == .notSent)
        try wire.peer.reply(to: request, result: 1)
        #expect(try await answer == 1)
        await closing
        let closure = try await wire.peer.expectClosure()
        #expect(closure.code == 1001)
        #expect(closure.reason == "bye")
        #expect(wire.session.state == .closed)
    }

    @Test func closeLetsThePeersCallsEnd() async throws {
        let wire = await Wire()
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        wire.session.handle("slow") {
            for await _ in gate { break }
            return "done"
        }
        try wire.peer.request("slow", id: "a")
        try wire.peer.request("none", id: "b")
        try await wire.peer.expectResponse(to: "b")
        async let closing: Void = wire.session.close()
        await wire.session.reaches(.draining)
        opener.yield()
        #expect(try await wire.peer.expectResponse(to: "a").outcome == .success("done"))
        await closing
    }

    @Test func drainingEndsAfterItsTimeAndCallsFail() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        async let answer = outcome { try await wire.session.callRaw("m", timeout: nil) }
        try await wire.peer.expectRequest("m")
        async let closing: Void = wire.session.close()
        await clock.waitForSleepers(1)
        #expect(clock.timeToNextWaking == .seconds(5))
        clock.advance(by: .seconds(5))
        await closing
        let error = try #require(await answer.failure as? ClientError)
        #expect(error.code == .closed)
        #expect(error.closeCode == 1000)
        #expect(error.delivery == .outcomeUnknown)
        #expect(wire.session.callCounts.issued == wire.session.callCounts.settled)
    }

    @Test func cancelledCloseWaitsForNoCalls() async throws {
        let wire = await Wire()
        async let answer = outcome { try await wire.session.callRaw("m") }
        try await wire.peer.expectRequest("m")
        let closing = Task { await wire.session.close() }
        closing.cancel()
        await closing.value
        #expect((await answer.failure as? ClientError)?.code == .closed)
    }

    @Test func lossTellsWhatThePeerCanHaveSeen() async throws {
        let wire = await Wire(holdsOutbox: true)
        async let seen = outcome { try await wire.session.callRaw("seen") }
        try await wire.untilInFlight(1)
        wire.near.releaseOutbox(messages: 1)
        try await wire.peer.expectRequest("seen")
        async let unseen = outcome { try await wire.session.callRaw("unseen") }
        try await wire.untilInFlight(2)
        wire.peer.drop(error: Broken())
        let seenError = try #require(await seen.failure as? ClientError)
        let unseenError = try #require(await unseen.failure as? ClientError)
        #expect(seenError.code == .connectionLost)
        #expect(seenError.delivery == .outcomeUnknown)
        #expect(seenError.closeCode == 1006)
        #expect(seenError.cause is Broken)
        #expect(unseenError.code == .connectionLost)
        #expect(unseenError.delivery == .notSent)
        await wire.session.closed()
        #expect(wire.session.callCounts.issued == wire.session.callCounts.settled)
    }

    @Test func peersCloseCodeReachesTheCallers() async throws {
        let wire = await Wire()
        let stream = wire.session.notifications("n", as: [Int].self)
        async let answer = outcome { try await wire.session.callRaw("m") }
        try await wire.peer.expectRequest("m")
        wire.peer.close(code: 4001, reason: "over")
        let error = try #require(await answer.failure as? ClientError)
        #expect(error.code == .connectionLost)
        #expect(error.closeCode == 4001)
        await wire.session.closed()
        #expect(wire.session.closure?.reason == "over")
        await #expect(throws: ClientError.self) { for try await _ in stream {} }
        let refused = try #require(await outcome { try await wire.session.callRaw("n") }.failure as? ClientError)
        #expect(refused.code == .connectionLost)
        #expect(refused.delivery == .notSent)
    }

    @Test func streamsEndQuietlyWhenClosedFromThisSide() async throws {
        let wire = await Wire()
        let stream = wire.session.notifications("n", as: [Int].self)
        try wire.peer.notify("n", params: [1])
        try wire.peer.request("none", id: 1)
        try await wire.peer.expectResponse(to: 1)
        await wire.session.close()
        var values: [[Int]] = []
        for try await value in stream.values { values.append(value) }
        #expect(values == [[1]])
    }

    @Test func sessionThatNeverOpenedCloses() async throws {
        let session = DuplexSession()
        let error = try #require(await outcome { try await session.callRaw("m") }.failure as? ClientError)
        #expect(error.code == .notConnected)
        #expect(error.delivery == .notSent)
        await session.close()
        #expect(session.state == .closed)
    }

    @Test func eventsTellOfStatesAndEnd() async throws {
        let session = DuplexSession()
        let events = session.events
        let peer = ScriptedPeer()
        try await peer.connector.connect(receiver: session.receiver)
        await session.close()
        var states: [DuplexSession.State] = []
        for await event in events {
            if case .stateChanged(let state) = event { states.append(state) }
        }
        #expect(states == [.open, .closing, .closed])
    }

    private struct Broken: Error {}
}
