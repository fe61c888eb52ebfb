// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import WireJSON

/// A session and a scripted peer, and the transport between them within reach.
struct Wire {
    let session: DuplexSession
    let peer: ScriptedPeer
    /// The session's end.
    let near: InMemoryTransport

    /// - Parameter holdsOutbox: whether what the session sends stays in its outbox from the start.
    init(
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
    func roundTrip() async throws {
        try peer.request("no such method", id: "round trip")
        try await peer.expectResponse(to: "round trip")
    }

    /// Waits until so many calls are in flight. Turns of the executor, no time: each lets others run.
    func untilInFlight(_ count: Int) async {
        while session.callsInFlight != count { await Task.yield() }
    }

    /// Waits until so many calls have come in.
    func untilIssued(_ count: UInt64) async {
        while session.callCounts.issued < count { await Task.yield() }
    }
}

extension DuplexSession {
    /// Waits until the session has a state.
    func reaches(_ wanted: DuplexSession.State) async {
        let events = events
        if state == wanted { return }
        for await event in events {
            if case .stateChanged(wanted) = event { return }
        }
    }
}

extension SessionConfiguration {
    static func with(_ change: (inout SessionConfiguration) -> Void) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        change(&configuration)
        return configuration
    }
}

extension SessionEvent.Stream {
    /// Everything irregular that is told, to the end.
    func irregularMessages() async -> [SessionEvent.IrregularMessage] {
        var told: [SessionEvent.IrregularMessage] = []
        for await event in self {
            if case .irregularMessage(let message) = event { told.append(message) }
        }
        return told
    }
}
