// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60))) struct LateAnswerTests {
    /// A peer that answers no subscribe request must not exhaust the memory.
    @Test func aLimitedNumberOfLateResponsesIsAwaited() async throws {
        let clock = ManualClock()
        var configuration = SessionConfiguration()
        configuration.clock = clock
        let peer = ScriptedPeer()
        let session = DuplexSession(configuration: configuration)
        try await peer.connector.connect(receiver: session.receiver)
        let count = SessionDriver.Machine.maximumLateReceivers + 50
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        _ = try await session.numbers("\(number)", timeout: .after(.seconds(1)))
                        return false
                    } catch let error as ClientError {
                        return error.code == .timedOut
                    }
                }
            }
            for _ in 0..<count { _ = try await peer.expectRequest("eth_subscribe") }
            clock.advance(by: .seconds(1))
            for try await hasTimedOut in group { #expect(hasTimedOut) }
        }
        #expect(session.subscriptionCounts.pending == SessionDriver.Machine.maximumLateReceivers)
        await session.close()
        #expect(session.subscriptionCounts.pending == 0)
    }
}
