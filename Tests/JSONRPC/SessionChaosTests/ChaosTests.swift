// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import TestSupport
import TestTurns
import Testing

/// Many callers over connections that are lost at random. No call hangs, and each has one correct outcome.
///
/// 100 callers make 100 calls each, with 20 seeds here and 1000 in `make test-long`. `CHAOS_SEED` runs one seed,
/// `CHAOS_SEEDS` a number of them, and `CHAOS_CALLERS` and `CHAOS_CALLS` set the size. A seed determines the calls, the
/// losses and the faults, but not the order in which threads run.
@Suite(.inTurn(within: .seconds(300)))
struct ChaosTests {
    @Test(arguments: ChaosSize.seeds(20))
    func eachCallHasOneOutcomeWhichIsTrue(seed: UInt64) async throws {
        var plan = ChaosPlan(seed: seed, callers: ChaosSize.callers(100), calls: ChaosSize.calls(100))
        plan.longestPause = .milliseconds(400)
        let report = try await ChaosRun(plan).run()
        let hint: Comment = "Repeat with CHAOS_SEED=\(seed). \(report.connections) connections, \(report.counts)"
        #expect(report.complaints.isEmpty, hint)
        #expect(report.connections > 1, hint)
        #expect(report.counts["answered", default: 0] > 0, hint)
        #expect(await untilTrue { !report.hasRemains }, "sessions remain. \(hint)")
        if ChaosSize.number("CHAOS_VERBOSE") != nil { print("chaos: \(report.virtualTime), \(hint)") }
    }

    /// The same with `results(of:)`: each caller makes its calls with one consumer.
    @Test(arguments: ChaosSize.seeds(5))
    func eachOfManyCallsHasOneOutcomeWhichIsTrue(seed: UInt64) async throws {
        var plan = ChaosPlan(seed: seed, callers: ChaosSize.callers(100), calls: ChaosSize.calls(100))
        plan.longestPause = .milliseconds(400)
        let report = try await ChaosRun(plan, isTogether: true).run()
        let hint: Comment = "Repeat with CHAOS_SEED=\(seed). \(report.connections) connections, \(report.counts)"
        #expect(report.complaints.isEmpty, hint)
        #expect(report.connections > 1, hint)
        #expect(report.counts["answered", default: 0] > 0, hint)
        #expect(report.counts["cancelled", default: 0] > 0, hint)
        #expect(await untilTrue { !report.hasRemains }, "sessions remain. \(hint)")
        if ChaosSize.number("CHAOS_VERBOSE") != nil { print("chaos: \(report.virtualTime), \(hint)") }
    }

    /// Shows that the first test can fail: if the network doubles requests, the server executes calls twice.
    @Test func callsThatAreExecutedTwiceAreFound() async throws {
        let plan = ChaosPlan(seed: 1, callers: 10, calls: 5)
        let report = try await ChaosRun(plan, rules: [FaultRule(.duplicate, .outbound, probability: 0.5)]).run()
        #expect(report.complaints.contains { $0.contains("executed 2 times") })
    }
}
