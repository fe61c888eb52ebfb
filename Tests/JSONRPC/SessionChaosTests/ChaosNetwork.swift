// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestSupport

@testable import JSONRPCSession

/// In-memory connections to the server of a chaos test, which end in many ways.
final class ChaosNetwork: MessageConnector {
    struct Refused: ConnectError {
        let isRetryable = true
        let retryAfter: Duration? = nil
    }

    struct Connection: Sendable {
        let near: InMemoryTransport
        let far: InMemoryTransport
        let server: DuplexSession
    }

    private struct State {
        var connections: [Connection] = []
        /// The number of following attempts that are refused.
        var refusals = 0
    }

    private let load: ChaosLoad
    private let state = Mutex(State())

    init(_ load: ChaosLoad) { self.load = load }

    var connections: [Connection] { state.withLock { $0.connections } }

    func connect(receiver: any MessageReceiver) async throws {
        try state.withLock { state in
            guard state.refusals == 0 else {
                state.refusals -= 1
                throw Refused()
            }
        }
        var configuration = SessionConfiguration()
        configuration.clock = load.clock
        configuration.drainTimeout = .milliseconds(50)
        let server = DuplexSession(configuration: configuration)
        server.handle("login") { true }
        load.serve(server)
        let (near, far) = InMemoryTransport.pair()
        state.withLock { $0.connections.append(Connection(near: near, far: far, server: server)) }
        await far.open(receiver: server.receiver)
        await near.open(receiver: receiver)
    }

    /// Ends the latest connection in one of many ways. The seed determines it.
    func end(_ random: inout SeededGenerator, _ client: JSONRPCClient, _ faults: FaultInjector) async {
        let refusals = random.oneIn(4) ? Int.random(in: 1...3, using: &random) : 0
        state.withLock { $0.refusals = refusals }
        guard let last = connections.last else { return }
        switch Int.random(in: 0..<7, using: &random) {
        case 0: last.near.dropConnection()
        case 1: last.far.dropConnection(discardingUndelivered: random.oneIn(2))
        case 2: faults.killConnections()
        case 3: last.server.closeNow(code: 1012, reason: "restart")
        case 4: await last.server.close(code: 1012, reason: "restart")
        case 5: client.session?.closeNow()
        default:
            // For a while, requests do not arrive. Then the connection is lost.
            last.far.holdInbox()
            try? await load.clock.sleep(for: .milliseconds(Int.random(in: 0...50, using: &random)))
            last.far.dropConnection()
        }
    }
}

/// Advances a clock, millisecond by millisecond, as fast as the tasks make progress.
struct ClockPacer: Sendable {
    let clock: ManualClock

    func run() async {
        while !Task.isCancelled {
            for _ in 0..<10 { await Task.yield() }
            guard let next = clock.timeToNextWaking else { continue }
            clock.advance(by: min(next, .milliseconds(1)))
        }
    }
}
