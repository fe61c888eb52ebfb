// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCCore
package import JSONRPCSession
package import JSONRPCTesting
import WireJSON

/// A session and a scripted peer, with access to the transport between them.
package struct Wire {
    package let session: DuplexSession
    package let peer: ScriptedPeer
    /// The session's end.
    package let near: InMemoryTransport

    /// - Parameter holdsOutbox: Whether the messages of the session stay in its outbox from the start.
    package init(
        _ configuration: SessionConfiguration = SessionConfiguration(), matching: ScriptedPeer.Matching = .inOrder,
        holdsOutbox: Bool = false
    ) async {
        session = DuplexSession(configuration: configuration)
        peer = ScriptedPeer(matching: matching)
        let far: InMemoryTransport
        (near, far) = InMemoryTransport.pair()
        if holdsOutbox { near.holdOutbox() }
        await far.open(receiver: peer.receiver)
        await near.open(receiver: session.receiver)
    }

    /// Returns when the session has taken all messages that the peer has sent so far.
    package func roundTrip() async throws {
        try peer.request("no such method", id: "round trip")
        try await peer.expectResponse(to: "round trip")
    }

    /// Waits until a number of calls are in flight, by turns of the executor instead of time.
    package func untilInFlight(_ count: Int) async throws {
        try await until("calls in flight: \(count)") { session.callsInFlight == count }
    }

    /// Waits until a number of calls have arrived.
    package func untilIssued(_ count: UInt64) async throws {
        try await until("calls issued: \(count)") { session.callCounts.issued >= count }
    }

    /// Throws if the task is cancelled first, for example because the time limit of the test has passed.
    private func until(_ what: String, _ isMet: () -> Bool) async throws {
        while !isMet() {
            guard !Task.isCancelled else {
                throw BehaviourFailure(description: "The task was cancelled while waiting for \(what).")
            }
            await Task.yield()
        }
    }
}

extension DuplexSession {
    /// Waits until the session has a state.
    package func reaches(_ wanted: DuplexSession.State) async {
        let events = events
        if state == wanted { return }
        for await event in events {
            if case .stateChanged(wanted) = event { return }
        }
    }
}

extension SessionConfiguration {
    package static func with(_ change: (inout SessionConfiguration) -> Void) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        change(&configuration)
        return configuration
    }
}

extension SessionEvent.Stream {
    /// All irregular messages of the events, to the end.
    package func irregularMessages() async -> [SessionEvent.IrregularMessage] {
        var told: [SessionEvent.IrregularMessage] = []
        for await event in self {
            if case .irregularMessage(let message) = event { told.append(message) }
        }
        return told
    }

    /// All irregularities of the events, to the end.
    package func irregularities() async -> [Irregularity] {
        await irregularMessages().flatMap(\.irregularities.elements)
    }
}
