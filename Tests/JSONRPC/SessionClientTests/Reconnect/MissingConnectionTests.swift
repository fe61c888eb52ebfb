// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TaskWaits
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

/// The errors of calls for which a client has no connection say why there is none.
@Suite(.inTurn(within: .seconds(60))) struct MissingConnectionTests {
    private let server = ReconnectingPeer()

    private func isRefusal(_ error: (any Error)?) -> Bool {
        guard let error = error as? ClientError, error.code == .connectFailed else { return false }
        return error.cause is ReconnectingPeer.Dials.Refused
    }

    @Test func aClientThatWasNeverConnectedNamesItsLastAttempt() async throws {
        let client = server.client(.always) { $0.disconnectedCalls = .wait(atMost: 1) }
        server.dials.setDown(true)
        let connecting = Task { try await client.connect() }
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        async let waiting = outcome { try await client.callRaw("m", timeout: .milliseconds(500)) }
        await server.clock.waitForSleeper(dueIn: .milliseconds(500))
        try await yieldUntil("the call waits") { client.supervisor.machine { $0.waitingCalls } > 0 }
        let refused = try #require(await outcome { try await client.callRaw("m") }.failure as? ClientError)
        #expect(refused.code == .notConnected && refused.delivery == .notSent && isRefusal(refused.cause))
        #expect(!refused.description.contains("lost"))
        server.clock.advance(by: .milliseconds(500))
        let expired = try #require(await waiting.failure as? ClientError)
        #expect(expired.code == .timedOut && expired.delivery == .notSent && isRefusal(expired.cause))
        await client.close()
        _ = await connecting.result
    }

    @Test func aLossIsNamedUntilTheNextAttemptHasFailed() async throws {
        let client = server.client { $0.disconnectedCalls = .fail }
        try await client.connect()
        server.dials.setDown(true)
        server.peer.close(code: 1001, reason: "restarting")
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        let lost = try #require(await outcome { try await client.callRaw("m") }.failure as? ClientError)
        #expect(lost.code == .notConnected && lost.closeCode == 1001 && lost.lastState != nil)
        #expect(lost.description.contains("The peer closed the connection: \"restarting\"."))
        server.clock.advance(by: .seconds(2))
        await server.clock.waitForSleeper(dueIn: .seconds(4))
        let refused = try #require(await outcome { try await client.callRaw("m") }.failure as? ClientError)
        #expect(refused.code == .notConnected && isRefusal(refused.cause))
        server.dials.setDown(false)
        server.clock.advance(by: .seconds(4))
        await client.reaches(.connected)
        await client.close()
    }

    /// If a lost call finds no other connection, its error still says how its own connection was lost.
    @Test func aLostIdempotentCallKeepsTheDetailsOfItsLoss() async throws {
        let client = server.client { $0.disconnectedCalls = .fail }
        try await client.connect()
        let idempotent = CallOptions(isIdempotent: true)
        async let call = outcome { try await client.callRaw("get", params: nil, timeout: .none, options: idempotent) }
        try await server.peer.expectRequest("get")
        async let batch = client.batch(
            [BatchEntry(method: "list", params: nil, isNotification: false, options: idempotent)])
        try await server.peer.expectBatch()
        server.peer.close(code: 1012)
        for failure in [await call.failure, try await batch.first??.failure?.underlying] {
            let error = try #require(failure as? ClientError)
            #expect(error.code == .notConnected && error.delivery == .outcomeUnknown)
            #expect(error.closeCode == 1012 && error.lastState?.callsInFlight == 2 && error.requestID != nil)
            #expect((error.cause as? ClientError)?.code == .connectionLost)
        }
        await client.close()
    }
}
