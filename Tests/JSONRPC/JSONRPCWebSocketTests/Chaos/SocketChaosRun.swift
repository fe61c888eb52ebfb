// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import SessionTestSupport
import Synchronization
import TaskWaits
import TestSupport
import Testing

@testable import JSONRPCSession

/// One chaos test over sockets: the calls of a plan to a listener, through a proxy that causes network faults.
struct SocketChaosRun: Sendable {
    struct Report: Sendable {
        var complaints: [String] = []
        var counts: [String: Int] = [:]
        var connections = 0
    }

    let plan: ChaosPlan
    /// Whether each caller makes its calls with `results(of:)`.
    let isTogether: Bool
    let load: ChaosLoad
    let listener: JSONRPCListener
    let proxy: TCPFaultProxy
    let client: JSONRPCClient
    let clientSessions = EventLog<DuplexSession>()
    let serverSessions: EventLog<DuplexSession>

    init(_ plan: ChaosPlan, isTogether: Bool = false, engine: Engine = .webSocket) async throws {
        self.plan = plan
        self.isTogether = isTogether
        let load = ChaosLoad(plan, clock: ContinuousClock())
        self.load = load
        let serverSessions = EventLog<DuplexSession>()
        self.serverSessions = serverSessions
        var listening = JSONRPCListener.Configuration()
        listening.session.drainTimeout = .milliseconds(50)
        // Calls that are never answered are in progress until their connection ends. On a busy machine, a connection
        // can last long.
        listening.session.inbound.maximumCalls = plan.callers * plan.calls
        listening.webSocket.connection.engine = engine.listener
        listener = try await JSONRPCListener.listen(configuration: listening) { session in
            load.serve(session)
            serverSessions.record(session)
        }
        proxy = try TCPFaultProxy(upstreamPort: listener.port)
        var webSocket = WebSocketConfiguration()
        webSocket.engine = engine.client
        webSocket.proxy = .none
        webSocket.connectTimeout = .seconds(20)
        // Half-open connections are detected soon.
        webSocket.pingInterval = .milliseconds(250)
        webSocket.pingTimeout = .milliseconds(250)
        var configuration = SessionConfiguration()
        configuration.onConnect = { [clientSessions] in clientSessions.record($0) }
        if plan.seed.isMultiple(of: 3) { configuration.calls.maximumInFlight = 10 }
        var reconnect = ReconnectPolicy.always
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .milliseconds(5), maximum: .milliseconds(50))
        client = JSONRPCClient(
            connector: WebSocketConnector(to: "ws://127.0.0.1:\(proxy.port)", configuration: webSocket),
            configuration: configuration, reconnect: reconnect)
    }

    func run() async throws -> Report {
        try await withWatchdog(plan.hangLimit, dump: { dump() }, rescue: { client.closeNow() }) {
            try await client.connect()
            try await makeCalls()
            var report = Report()
            if client.state == .closed { report.complaints.append("the client ended by itself") }
            await client.close()
            proxy.close()
            for session in serverSessions.elements {
                // A session whose opening handshake has failed was never opened.
                if session.state != .connecting { await session.closed() }
                await untilTrue { session.driver.state.withLock { $0.machine.snapshot.served } == 0 }
            }
            await listener.shutDown(within: .zero)
            report.complaints += leftovers() + load.ledger.contradictions(maximumExecutions: 4)
            report.counts = load.ledger.counts
            report.connections = clientSessions.elements.count
            return report
        }
    }

    private func makeCalls() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                var random = plan.generator(1)
                while !Task.isCancelled {
                    try? await load.clock.sleep(for: .milliseconds(Int.random(in: 0...600, using: &random)))
                    await spoil(&random)
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

    /// Causes one of many faults for a while. The seed determines it.
    private func spoil(_ random: inout SeededGenerator) async {
        let kind = Int.random(in: 0..<10, using: &random)
        let bytes = Int.random(in: 0...20_000, using: &random)
        let time = Duration.milliseconds(Int.random(in: 0...300, using: &random))
        switch kind {
        case 0: proxy.endConnections(by: .reset)
        case 1: proxy.endConnections(by: .finish)
        case 2: proxy.flow = .stall
        case 3: proxy.toClient.cutAfterBytes = bytes
        case 4: proxy.toUpstream.cutAfterBytes = bytes
        case 5: proxy.flow = .discard
        case 6: proxy.acceptance = .reset
        case 7: proxy.acceptance = .hold
        case 8: proxy.acceptance = .refuse
        default: for session in listener.openSessions { session.closeNow(code: 1012, reason: "restart") }
        }
        guard (2...8).contains(kind) else { return }
        if kind >= 6 { proxy.endConnections() }
        try? await load.clock.sleep(for: time)
        proxy.toClient.cutAfterBytes = nil
        proxy.toUpstream.cutAfterBytes = nil
        proxy.flow = .forward
        proxy.acceptance = .forward
        // Connections that are held never get an answer.
        if kind == 7 { proxy.endConnections() }
    }

    // MARK: Looking

    private func leftovers() -> [String] {
        var found: [String] = []
        for session in clientSessions.elements + serverSessions.elements where session.state != .connecting {
            let snapshot = session.driver.state.withLock { $0.machine.snapshot }
            let isClean =
                snapshot.phase == .closed && snapshot.inFlight == 0 && snapshot.waiting == 0 && snapshot.deadlines == 0
                && snapshot.occupiedSlots == 0 && snapshot.issued == snapshot.settled && snapshot.served == 0
            if !isClean { found.append("a session holds \(snapshot)") }
        }
        if client.supervisor.machine({ $0.waitingCalls > 0 }) { found.append("calls wait for a connection") }
        return found
    }

    /// The state for a report of a hang.
    private func dump() -> String {
        let sessions = (clientSessions.elements + serverSessions.elements).suffix(8).map {
            "\($0.driver.state.withLock { $0.machine.snapshot })"
        }
        return """
            seed \(plan.seed); client \(client.state), calls without an outcome: \(load.ledger.unsettled); \
            \(proxy.statistics); sessions:
            \(sessions.joined(separator: "\n"))
            """
    }
}
