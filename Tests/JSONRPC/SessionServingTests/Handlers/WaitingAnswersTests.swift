// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

/// Answers that wait: for the other answers of their array, or for a peer that does not read.
@Suite(.inTurn(within: .seconds(60)))
struct WaitingAnswersTests {
    private static let busy = SessionConfiguration.Inbound.serverBusy

    /// Sets a handler `slow` that waits for the gate, and `list` with a long result. Returns the calls of `list`.
    private func serve(_ session: DuplexSession, isSynchronous: Bool, _ gate: AsyncStream<Void>) -> EventLog<Int> {
        let log = EventLog<Int>()
        let result = RawJSON(JSONValue.string(String(repeating: "x", count: 1000)))
        session.setHandler("slow") { _ in
            for await _ in gate {}
            return .null
        }
        let list: @Sendable () -> RawJSON = {
            log.record(1)
            return result
        }
        if isSynchronous {
            session.setHandler("list", SynchronousHandler { _ in list() })
        } else {
            session.setHandler("list") { _ in list() }
        }
        return log
    }

    private func array(slow: Bool, lists: Int) -> String {
        let list = (1...lists).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"list"}"# }
        return "[\(((slow ? [#"{"jsonrpc":"2.0","id":0,"method":"slow"}"#] : []) + list).joined(separator: ","))]"
    }

    /// Gives a session calls of `list` that were read together.
    private func receiveLists(_ count: Int, by session: DuplexSession) {
        for id in 1...count {
            let text = #"{"jsonrpc":"2.0","id":\#(id),"method":"list"}"#
            session.receiver.messageReceived(InboundMessage(content: .owned(Array(text.utf8)), isBinary: false))
        }
    }

    @Test(arguments: [true, false]) func membersWhoseAnswersFindNoRoomAreRefused(isSynchronous: Bool) async throws {
        let wire = await Wire(.with { $0.inbound.maximumBytes = 10_000 })
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let log = serve(wire.session, isSynchronous: isSynchronous, gate)
        let events = wire.session.events
        try wire.peer.send(array(slow: true, lists: 50))
        let driver = wire.session.driver
        try await yieldUntil("answers have no room") { !driver.heldAnswers.hasRoom }
        try await yieldUntil("one call is served") { driver.state.withLock { $0.machine.served.count } == 1 }
        // In an array that arrives now, only the last answer need not wait.
        try wire.peer.send(array(slow: false, lists: 2))
        let second = try await wire.peer.expectMessage().json
        #expect(second?[0]?["error"]?["code"] == JSONValue(Self.busy.rawValue))
        #expect(second?[1]?["error"] == nil)
        opener.finish()
        let answers = try #require(try await wire.peer.expectMessage().json)
        #expect(answers[0]?["result"] == .null)
        let codes = (1...50).map { answers[$0]?["error"]?["code"] }
        let served = codes.count { $0 == nil }
        #expect((5...16).contains(served))
        #expect(codes.count { $0 == JSONValue(Self.busy.rawValue) } == 50 - served)
        #expect((1...50).allSatisfy { answers[$0]?["id"] == JSONValue($0) })
        if isSynchronous { #expect(log.elements.count == served + 1) }
        // The array has been sent, so there is room again.
        try wire.peer.send(array(slow: false, lists: 5))
        let last = try await wire.peer.expectMessage().json
        #expect((0..<5).allSatisfy { last?[$0]?["error"] == nil })
        await wire.session.close()
        var refused = 0
        for await event in events { if case .inboundCallRefused("list") = event { refused += 1 } }
        #expect(refused == 51 - served)
    }

    @Test func theLastAnswerOfAnArrayNeedsNoRoom() {
        let held = HeldAnswers(limit: 1)
        let batch = InboundBatch(requests: 2, held: held)
        #expect(batch.hasRoom)
        #expect(batch.answer(1, Array("2".utf8)) == nil)
        #expect(!held.hasRoom && batch.hasRoom)
        let other = InboundBatch(requests: 2, held: held)
        #expect(!other.hasRoom)
        #expect(batch.answer(1, []) == nil)
        #expect(batch.answer(0, Array("1".utf8)) == Array("[1,2]".utf8))
        #expect(held.hasRoom && other.hasRoom)
    }

    @Test func anArrayThatIsGivenUpHoldsNothing() {
        let held = HeldAnswers(limit: 1)
        var batch: InboundBatch? = InboundBatch(requests: 2, held: held)
        #expect(batch?.answer(0, [0]) == nil)
        #expect(!held.hasRoom)
        batch = nil
        #expect(held.hasRoom)
    }

    /// Calls that were read together are in progress before the first answer shows that the peer does not read.
    @Test(arguments: [true, false]) func handlersWaitUntilTheAnswersAreRead(isSynchronous: Bool) async throws {
        let wire = await Wire(
            .with { $0.calls.maximumQueuedBytes = SessionConfiguration.Calls.minimumQueuedBytes }, matching: .anyOrder)
        let log = serve(wire.session, isSynchronous: isSynchronous, AsyncStream { $0.finish() })
        wire.near.holdOutbox()
        receiveLists(1000, by: wire.session)
        try await wire.near.waitForOutbox { $0 >= SessionConfiguration.Calls.minimumQueuedBytes }
        try await yieldUntil("the reading pauses") { wire.session.driver.isReadingPaused.load(ordering: .relaxed) }
        // A running handler may continue.
        for _ in 0..<1000 { await Task.yield() }
        #expect(log.elements.count < 400)
        wire.near.releaseOutbox()
        for id in 1...1000 { try await wire.peer.expectResponse(to: JSONValue(id)) }
        await wire.session.close()
    }

    @Test(arguments: [true, false]) func handlersThatWaitGoOnWhenTheConnectionEnds(isSynchronous: Bool) async throws {
        let wire = await Wire(.with { $0.calls.maximumQueuedBytes = SessionConfiguration.Calls.minimumQueuedBytes })
        let log = serve(wire.session, isSynchronous: isSynchronous, AsyncStream { $0.finish() })
        wire.near.holdOutbox()
        receiveLists(500, by: wire.session)
        try await yieldUntil("handlers wait") {
            !wire.session.driver.state.withLock { $0.machine.served.heldHandlers.isEmpty }
        }
        wire.near.dropConnection()
        try await yieldUntil("all handlers have run") { log.elements.count == 500 }
        #expect(log.elements.count == 500)
    }
}
