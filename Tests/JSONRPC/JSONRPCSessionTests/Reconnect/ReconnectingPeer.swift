// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import Synchronization

@testable import JSONRPCSession

/// A scripted peer whose attempts to connect can fail, and a client of it on a manual clock. The times between attempts
/// are not random: they are 1, 2, 4 and 8 seconds.
struct ReconnectingPeer: Sendable {
    let peer = ScriptedPeer(matching: .anyOrder)
    let clock = ManualClock()
    let dials = Dials()

    final class Dials: Sendable {
        struct Refused: ConnectError {
            var isRetryable = true
            var retryAfter: Duration?
        }

        struct State {
            var times: [Duration] = []
            /// The failures of the next attempts.
            var failures: [any Error] = []
            var isDown = false
            var ends: [(near: InMemoryTransport, far: InMemoryTransport)] = []
        }

        let state = Mutex(State())

        var times: [Duration] { state.withLock { $0.times } }
        /// The client's end of the latest connection.
        var near: InMemoryTransport? { state.withLock { $0.ends.last?.near } }
        /// The peer's end of the latest connection.
        var far: InMemoryTransport? { state.withLock { $0.ends.last?.far } }

        func fail(_ failures: any Error...) { state.withLock { $0.failures += failures } }
        func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }
    }

    struct Connector: MessageConnector {
        let peer: ScriptedPeer
        let clock: ManualClock
        let dials: Dials

        func connect(receiver: any MessageReceiver) async throws {
            try dials.state.withLock { state in
                state.times.append(clock.now.offset)
                if !state.failures.isEmpty { throw state.failures.removeFirst() }
                if state.isDown { throw Dials.Refused() }
            }
            let (near, far) = InMemoryTransport.pair()
            dials.state.withLock { $0.ends.append((near, far)) }
            await far.open(receiver: peer.receiver)
            await near.open(receiver: receiver)
        }
    }

    func client(
        _ reconnect: ReconnectPolicy = .onLoss, change: (inout ReconnectPolicy) -> Void = { _ in },
        configuration: (inout SessionConfiguration) -> Void = { _ in },
        onConnect: (@Sendable (DuplexSession) async throws -> Void)? = nil
    ) -> JSONRPCClient {
        var reconnect = reconnect
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .seconds(1), maximum: .seconds(8))
        change(&reconnect)
        var session = SessionConfiguration()
        session.clock = clock
        configuration(&session)
        return JSONRPCClient(
            connector: Connector(peer: peer, clock: clock, dials: dials), configuration: session, reconnect: reconnect,
            onConnect: onConnect, random: { 1 })
    }

    /// Waits until the client waits for its next attempt, and lets the time pass.
    func letAttemptBegin(after delay: Duration) async {
        await clock.waitForSleeper(dueIn: delay)
        clock.advance(by: delay)
    }

    /// Waits until the client waits for its next attempt, lets the time pass, and waits for the connection.
    func letConnect(_ number: Int = 2, after delay: Duration) async throws {
        // The peer may learn of the end later than the client.
        try await peer.expectClosure(number - 1)
        await letAttemptBegin(after: delay)
        try await peer.expectConnection(number)
    }
}

extension JSONRPCClient {
    /// Waits until the client has a state.
    func reaches(_ wanted: JSONRPCClient.State) async {
        for await state in states where state == wanted { return }
    }
}
