// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing

/// Many callers over a network that resets, stalls, cuts and loses connections. Each call has one correct outcome.
///
/// 100 callers make 100 calls each. The environment variables are those of `ChaosTests`.
@Suite(.inTurn(within: .seconds(300)))
struct SocketChaosTests {
    @Test(arguments: ChaosSize.seeds(10))
    func eachCallHasOneOutcomeWhichIsTrue(seed: UInt64) async throws {
        let plan = ChaosPlan(seed: seed, callers: ChaosSize.callers(100), calls: ChaosSize.calls(100))
        let report = try await SocketChaosRun(plan).run()
        let hint: Comment = "Repeat with CHAOS_SEED=\(seed). \(report.connections) connections, \(report.counts)"
        #expect(report.complaints.isEmpty, hint)
        #expect(report.counts["answered", default: 0] > 0, hint)
        if ChaosSize.number("CHAOS_VERBOSE") != nil { print("chaos over sockets: \(hint)") }
    }

    /// The same with libwebsockets at one end or both.
    @Test(arguments: ChaosSize.seeds(2), [Engine.libwebsockets, .libwebsocketsClient, .libwebsocketsListener])
    func eachCallHasOneOutcomeWithLibwebsockets(seed: UInt64, engine: Engine) async throws {
        let plan = ChaosPlan(seed: seed, callers: ChaosSize.callers(100), calls: ChaosSize.calls(100))
        let report = try await SocketChaosRun(plan, engine: engine).run()
        let hint: Comment = "Repeat with CHAOS_SEED=\(seed). \(report.connections) connections, \(report.counts)"
        #expect(report.complaints.isEmpty, hint)
        #expect(report.counts["answered", default: 0] > 0, hint)
        if ChaosSize.number("CHAOS_VERBOSE") != nil { print("chaos over sockets: \(hint)") }
    }

    /// The same with `results(of:)`: each caller makes its calls with one consumer.
    @Test(arguments: ChaosSize.seeds(4))
    func eachOfManyCallsHasOneOutcomeWhichIsTrue(seed: UInt64) async throws {
        let plan = ChaosPlan(seed: seed, callers: ChaosSize.callers(100), calls: ChaosSize.calls(100))
        let report = try await SocketChaosRun(plan, isTogether: true).run()
        let hint: Comment = "Repeat with CHAOS_SEED=\(seed). \(report.connections) connections, \(report.counts)"
        #expect(report.complaints.isEmpty, hint)
        #expect(report.counts["answered", default: 0] > 0, hint)
        #expect(report.counts["cancelled", default: 0] > 0, hint)
        if ChaosSize.number("CHAOS_VERBOSE") != nil { print("chaos over sockets: \(hint)") }
    }
}
