// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

/// The state of a connection at its end, in closures and in errors.
@Suite(.inTurn(within: .seconds(60))) struct LastStateTests {
    private struct Reset: Error {}

    private func error(_ call: Task<RawJSON, any Error>) async -> ClientError? {
        guard case .failure(let error) = await call.result else { return nil }
        return error as? ClientError
    }

    @Test func aLossTellsHowTheConnectionStood() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        clock.advance(by: .seconds(10))
        try await wire.roundTrip()
        let calls = (0..<2).map { _ in Task { try await wire.session.callRaw("slow", params: nil, timeout: .none) } }
        try await wire.untilInFlight(2)
        clock.advance(by: .seconds(3))
        wire.near.dropConnection(error: Reset())
        for call in calls {
            let error = try #require(await error(call))
            #expect(error.code == .connectionLost && error.cause is Reset && error.closeCode == 1006)
            #expect(error.lastState?.openFor == .seconds(13))
            #expect(error.lastState?.silentFor == .seconds(3))
            #expect(error.lastState?.callsInFlight == 2)
            #expect(error.description.contains("Last state: open for 13.0 s, silent for 3.0 s, calls in flight: 2, "))
        }
        await wire.session.closed()
        let closure = try #require(wire.session.closure)
        #expect(closure.lastState?.callsInFlight == 2)
        #expect(
            closure.description.hasPrefix("lost with code 1006 (open for 13.0 s, silent for 3.0 s, calls in flight: 2"))
    }

    @Test func bytesThatWereNotSentAreCounted() async throws {
        let wire = await Wire(holdsOutbox: true)
        let call = Task { try await wire.session.callRaw("slow") }
        try await wire.untilInFlight(1)
        let queued = wire.session.queuedByteCount
        #expect(queued > 0)
        wire.near.dropConnection()
        let error = try #require(await error(call))
        #expect(error.delivery == .notSent)
        #expect((1...queued).contains(error.lastState?.queuedByteCount ?? 0))
        #expect(error.lastState?.silentFor == nil)
        #expect(error.description.contains("without a message from the peer, calls in flight: 1"))
    }

    @Test func anEndByThePeerTellsItToo() async throws {
        let wire = await Wire()
        let call = Task { try await wire.session.callRaw("slow") }
        _ = try await wire.peer.expectRequest("slow")
        wire.peer.close(code: 1012, reason: "restart")
        let error = try #require(await error(call))
        #expect(error.message == #"The peer closed the connection: "restart"."# && error.closeCode == 1012)
        #expect(error.lastState?.callsInFlight == 1)
    }

    @Test func aSessionThatWasNeverOpenHasNoLastState() async {
        let session = DuplexSession()
        await session.close()
        #expect(session.closure != nil && session.closure?.lastState == nil)
    }

    @Test func twoLossesForOneReasonAreEqual() {
        var left = ClientError(.connectionLost, "The connection was lost.")
        let right = left
        left.lastState = ClientError.LastState(
            openFor: .seconds(1), silentFor: nil, callsInFlight: 0, queuedByteCount: 0)
        #expect(left == right && left.hashValue == right.hashValue)
    }
}
