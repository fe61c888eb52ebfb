// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCSession
package import JSONRPCTesting
import Synchronization

/// A scripted peer whose attempts to connect can fail, and a client of it on a manual clock. The times between attempts
/// are not random: they are 1, 2, 4 and 8 seconds.
package struct ReconnectingPeer: Sendable {
    package let peer = ScriptedPeer(matching: .anyOrder)
    package let clock = ManualClock()
    package let dials = Dials()

    package init() {}

    package final class Dials: Sendable {
        package struct Refused: ConnectError {
            package var isRetryable: Bool
            package var retryAfter: Duration?

            package init(isRetryable: Bool = true, retryAfter: Duration? = nil) {
                self.isRetryable = isRetryable
                self.retryAfter = retryAfter
            }
        }

        fileprivate struct State {
            var times: [Duration] = []
            /// The failures of the next attempts.
            var failures: [any Error] = []
            var isDown = false
            var ends: [(near: InMemoryTransport, far: InMemoryTransport)] = []
        }

        fileprivate let state = Mutex(State())

        package var times: [Duration] { state.withLock { $0.times } }
        /// The client's ends of all connections.
        package var nears: [InMemoryTransport] { state.withLock { $0.ends.map(\.near) } }
        /// The client's end of the latest connection.
        package var near: InMemoryTransport? { nears.last }
        /// The peer's end of the latest connection.
        package var far: InMemoryTransport? { state.withLock { $0.ends.last?.far } }

        package func fail(_ failures: any Error...) { state.withLock { $0.failures += failures } }
        package func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }
    }

    private struct Connector: MessageConnector {
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

    package var connector: any MessageConnector { Connector(peer: peer, clock: clock, dials: dials) }

    package func client(
        _ reconnect: ReconnectPolicy = .onLoss, change: (inout ReconnectPolicy) -> Void = { _ in },
        configuration: (inout SessionConfiguration) -> Void = { _ in },
        onConnect: (@Sendable (DuplexSession) async throws -> Void)? = nil
    ) -> JSONRPCClient {
        var reconnect = reconnect
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .seconds(1), maximum: .seconds(8))
        change(&reconnect)
        var session = SessionConfiguration()
        session.clock = clock
        session.onConnect = onConnect
        configuration(&session)
        return JSONRPCClient(connector: connector, configuration: session, reconnect: reconnect, random: { 1 })
    }

    /// Waits until the client waits for its next attempt, and advances the time.
    package func letAttemptBegin(after delay: Duration) async {
        await clock.waitForSleeper(dueIn: delay)
        clock.advance(by: delay)
    }

    /// Waits until the client waits for its next attempt, advances the time, and waits for the connection.
    package func letConnect(_ number: Int = 2, after delay: Duration) async throws {
        // The peer may detect the end later than the client.
        try await peer.expectClosure(number - 1)
        await letAttemptBegin(after: delay)
        try await peer.expectConnection(number)
    }
}

extension JSONRPCClient {
    /// Waits until the client has a state.
    package func reaches(_ wanted: JSONRPCClient.State) async {
        for await state in states where state == wanted { return }
    }
}
