// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

/// The response to a subscribe request has arrived, but the connection ends before the subscription is registered.
@Suite(.inTurn(within: .seconds(60))) struct SubscriptionClosingTests {
    /// Holds responses back until the connection has ended.
    private struct Holding: CallInterceptor {
        let answered = EventLog<Void>()

        func intercept(call: OutboundCall, next: NextInterceptor<RawJSON>) async throws -> RawJSON {
            let result = try await next(call)
            answered.record(())
            await Holding.session?.closed()
            return result
        }

        @TaskLocal static var session: DuplexSession?
    }

    private func failure(_ end: (Wire) async -> Void) async throws -> ClientError {
        let holding = Holding()
        let wire = await Wire(.with { $0.calls.interceptors = [holding] })
        let subscribing = Holding.$session.withValue(wire.session) { Task { try await wire.session.numbers() } }
        try await wire.peer.confirm(1)
        _ = await holding.answered.first { _ in true }
        await end(wire)
        guard case .failure(let error) = await subscribing.result else { throw ClientError(.closed, "no error") }
        return try #require(error as? ClientError)
    }

    @Test func itSaysThatThisSideHasClosedTheConnection() async throws {
        let error = try await failure { await $0.session.close() }
        #expect(error.code == .closed && !error.isRetryable && error.method == "eth_subscribe")
    }

    @Test func itSaysHowTheConnectionWasLost() async throws {
        let error = try await failure { wire in
            wire.peer.close(code: 1012, reason: "restarting")
            await wire.session.closed()
        }
        #expect(error.code == .connectionLost && error.isRetryable && error.delivery == .outcomeUnknown)
        #expect(error.closeCode == 1012 && error.lastState != nil && error.message.contains("restarting"))
    }
}
