// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TaskWaits
import TestSupport
import Testing

@testable import JSONRPCSession

/// One chaos test in memory, on a manual clock: the calls of a plan, over connections that are lost at random.
struct ChaosRun: Sendable {
    /// The results of a run, without references to objects of the run.
    struct Report: Sendable {
        struct Remains: Sendable {
            weak let driver: SessionDriver?
            weak let supervisor: ClientSupervisor?
        }

        var complaints: [String] = []
        var counts: [String: Int] = [:]
        var connections = 0
        var virtualTime = Duration.zero
        var remains: [Remains] = []

        var hasRemains: Bool { remains.contains { $0.driver != nil || $0.supervisor != nil } }
    }

    let plan: ChaosPlan
    /// Whether each caller makes its calls with `results(of:)`.
    var isTogether = false
    let clock = ManualClock()
    let load: ChaosLoad
    let network: ChaosNetwork
    let faults: FaultInjector
    /// The client's sessions.
    let sessions = EventLog<DuplexSession>()

    init(_ plan: ChaosPlan, isTogether: Bool = false, rules: [FaultRule]? = nil) {
        self.plan = plan
        self.isTogether = isTogether
        load = ChaosLoad(plan, clock: clock)
        network = ChaosNetwork(load)
        faults = FaultInjector(
            seed: plan.seed, clock: clock, rules: rules ?? (plan.seed.isMultiple(of: 5) ? [] : Self.rules))
    }

    /// Faults at single messages, beside the losses at random times.
    private static let rules = [
        FaultRule(.kill(.beforeWriting), .outbound, probability: 0.002),
        FaultRule(.kill(.afterWriting), .outbound, probability: 0.002),
        FaultRule(.kill(.afterDelivery), .outbound, probability: 0.002),
        FaultRule(.close(code: 1012), .inbound, probability: 0.002),
        FaultRule(.drop, probability: 0.005),
        FaultRule(.duplicate, .inbound, probability: 0.01),
        FaultRule(.reorder(behind: 2), probability: 0.05),
        FaultRule(.delay(.zero...(.milliseconds(20))), probability: 0.05),
    ]

    private func client() -> JSONRPCClient {
        var configuration = SessionConfiguration()
        configuration.clock = clock
        if plan.seed.isMultiple(of: 3) { configuration.calls.maximumInFlight = 10 }
        let logsIn = plan.seed.isMultiple(of: 2)
        configuration.onConnect = { [sessions] session in
            sessions.record(session)
            if logsIn { _ = try await session.callRaw("login", timeout: .milliseconds(200)) }
        }
        var reconnect = ReconnectPolicy.always
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .milliseconds(5), maximum: .milliseconds(50))
        switch plan.seed / 2 % 4 {
        case 0: reconnect.disconnectedCalls = .fail
        case 1: reconnect.disconnectedCalls = .wait(atMost: 20)
        default: break
        }
        return JSONRPCClient(
            connector: faults.connector(over: network), configuration: configuration, reconnect: reconnect)
    }

    /// Makes all calls, and afterwards checks the tables of both sides.
    func run() async throws -> Report {
        let client = client()
        let pacer = Task { [clock] in await ClockPacer(clock: clock).run() }
        defer { pacer.cancel() }
        return try await withWatchdog(
            plan.hangLimit, dump: { dump(client) }, rescue: { client.closeNow() }
        ) {
            try await client.connect()
            try await makeCalls(over: client)
            var report = Report()
            if client.state == .closed { report.complaints.append("the client ended by itself") }
            await client.close()
            for connection in network.connections {
                await connection.server.closed()
                await untilTrue { connection.server.driver.state.withLock { $0.machine.snapshot.served } == 0 }
            }
            await untilTrue { clock.sleeperCount == 0 }
            report.complaints += leftovers(client)
            // The first attempt and three repetitions.
            report.complaints += load.ledger.contradictions(maximumExecutions: 4)
            report.counts = load.ledger.counts
            report.connections = load.ledger.connectionCount
            report.virtualTime = clock.now.offset
            report.remains = remains(client)
            return report
        }
    }

    private func makeCalls(over client: JSONRPCClient) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                var random = plan.generator(1)
                while !Task.isCancelled {
                    try? await clock.sleep(for: .milliseconds(Int.random(in: 0...600, using: &random)))
                    await network.end(&random, client, faults)
                }
            }
            if isTogether {
                try await load.runTogether(over: client)
            } else {
                await load.run(over: client)
            }
            group.cancelAll()
        }
    }

    // MARK: Looking

    /// The entries that remain in the tables of both sides, in words.
    private func leftovers(_ client: JSONRPCClient) -> [String] {
        var found: [String] = []
        for (side, session) in sessions.elements.map({ ("client", $0) })
            + network.connections.map({ ("server", $0.server) })
        {
            let (snapshot, bytes) = session.driver.state.withLock { ($0.machine.snapshot, $0.machine.served.bytes) }
            let isClean =
                snapshot.phase == .closed && snapshot.inFlight == 0 && snapshot.waiting == 0 && snapshot.deadlines == 0
                && snapshot.occupiedSlots == 0 && snapshot.issued == snapshot.settled && snapshot.served == 0
                && bytes == 0 && session.driver.end.waitingCount == 0
            if !isClean { found.append("the \(side)'s session holds \(snapshot)") }
        }
        let waiters = client.supervisor.machine { $0.waiterCount }
        if waiters > 0 { found.append("the client holds \(waiters) that wait") }
        return found
    }

    private func remains(_ client: JSONRPCClient) -> [Report.Remains] {
        (sessions.elements + network.connections.map(\.server)).map {
            Report.Remains(driver: $0.driver, supervisor: client.supervisor)
        }
    }

    /// The state for a report of a hang.
    private func dump(_ client: JSONRPCClient) -> String {
        let status = client.supervisor.machine { "\($0.phase), \($0.waiterCount) waiting" }
        let sessions = (sessions.elements + network.connections.map(\.server)).suffix(8).map {
            "\($0.driver.state.withLock { $0.machine.snapshot })"
        }
        return """
            seed \(plan.seed); client \(client.state), \(status); calls without an outcome: \(load.ledger.unsettled); \
            \(clock.sleeperCount) tasks sleep; sessions:
            \(sessions.joined(separator: "\n"))
            \(faults)
            """
    }
}
