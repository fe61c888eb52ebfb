// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import Synchronization
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

/// A transport whose outbox has a size that the test sets.
private final class StalledTransport: MessageTransport {
    struct State: Sendable {
        var accepted = 0
        var queued = 0
        var answers = 0
        var isReading = true
    }
    let state = Mutex(State())

    private func add(_ count: Int) -> EnqueueOutcome {
        state.withLock { state in
            defer {
                state.accepted += count
                state.queued += count
                state.answers += 1
            }
            return .queued(OutboxTicket(position: UInt64(state.accepted)), mustWake: false)
        }
    }

    func enqueue(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> EnqueueOutcome {
        add(pieces.reduce(0) { $0 + $1.count })
    }
    func enqueue(sharing pieces: [ArraySlice<UInt8>]) -> EnqueueOutcome { add(pieces.reduce(0) { $0 + $1.count }) }
    func wake() {}
    func withdraw(_ ticket: OutboxTicket) -> Bool { false }
    var queuedByteCount: Int { state.withLock { $0.queued } }
    func setReading(_ isReading: Bool) { state.withLock { $0.isReading = isReading } }
    func close(code: UInt16, reason: String, deadline: Duration) {}

    func until(_ what: String, _ isReached: (State) -> Bool) async throws {
        try await yieldUntil(what) { isReached(state.withLock { $0 }) }
    }
}

@Suite(.inTurn(within: .seconds(60))) struct ReadingPauseTests {
    private func receive(_ text: String, by session: DuplexSession) {
        session.receiver.messageReceived(InboundMessage(content: .owned(Array(text.utf8)), isBinary: false))
    }

    /// The rest of a long answer is below the transport's low-water mark, so the transport reports nothing more, and a
    /// pause that began now would never end.
    @Test func theRestOfALongAnswerDoesNotStopTheReadingAgain() async throws {
        let (session, transport) = (DuplexSession(), StalledTransport())
        session.receiver.transportOpened(transport)
        let long = String(repeating: "a", count: 16 << 20)
        session.handleSynchronously("long") { long }
        session.handleSynchronously("short") { 1 }

        receive(#"{"jsonrpc":"2.0","id":1,"method":"long"}"#, by: session)
        try await transport.until("the long answer was sent") { $0.answers == 1 }
        try await transport.until("the reading pauses") { !$0.isReading }

        transport.state.withLock { $0.queued = 30_000 }
        session.receiver.outboxDrained()
        #expect(transport.state.withLock { $0.isReading })

        receive(#"{"jsonrpc":"2.0","id":2,"method":"short"}"#, by: session)
        try await transport.until("the short answer was sent") { $0.answers == 2 }
        #expect(transport.state.withLock { $0.isReading })
        session.closeNow()
    }
}
