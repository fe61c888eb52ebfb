// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60)))
struct RequestTimeoutTests {
    private struct Impatient: JSONRPCRequest {
        typealias Response = Int
        var method: String { "m" }
        var timeout: CallTimeout { .after(.zero) }
    }

    @Test func theTimeoutOfARequestCounts() async throws {
        let wire = await Wire()
        let error = await #expect(throws: ClientError.self) { try await wire.session.call(Impatient()) }
        #expect(error?.code == .timedOut)
        let result = await wire.session.result(of: Impatient())
        #expect((result.failure?.underlying as? ClientError)?.code == .timedOut)
        await wire.session.close()
    }

    @Test func theTimeoutOfTheCallTakesPrecedence() async throws {
        let wire = await Wire()
        async let answer = wire.session.call(Impatient(), timeout: nil)
        try wire.peer.reply(to: try await wire.peer.expectRequest("m"), result: 7)
        #expect(try await answer == 7)
        await wire.session.close()
    }

    @Test func itCountsOverOtherTransports() async throws {
        struct Silent: DataTransport {
            func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8] {
                try await ContinuousClock().sleep(for: .seconds(600))
                return []
            }
        }
        let error = await #expect(throws: ClientError.self) {
            try await TransportCaller(over: Silent()).call(Impatient())
        }
        #expect(error?.code == .timedOut)
    }
}
