// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

/// An error without a usable id is attributed to a call only if it can concern nothing else.
@Suite(.inTurn(within: .seconds(60)))
struct AttributedErrorTests {
    private static let error = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#

    @Test func itAnswersNoBatchWhileOtherCallsAreInFlight() async throws {
        let wire = await Wire()
        async let a: Int = wire.session.call("a")
        let requestA = try await wire.peer.expectRequest("a")
        async let b = wire.session.batch([.call("b"), .call("c")])
        let batch = try await wire.peer.expectBatch(count: 2)
        async let d: Int = wire.session.call("d")
        let requestD = try await wire.peer.expectRequest("d")
        try wire.peer.send(Self.error)
        try wire.peer.reply(to: batch, results: [2, 3])
        try wire.peer.reply(to: requestD, result: 4)
        try wire.peer.reply(to: requestA, result: 1)
        #expect(try await b.map { try $0?.get().text } == ["2", "3"])
        #expect(try await [a, d] == [1, 4])
        #expect(wire.session.irregularityCounts[.batchAnsweredByError] == nil)
        #expect(wire.session.irregularityCounts[.duplicateResponse] == nil)
        await wire.session.close()
    }

    enum End: CaseIterable { case cancelled, timedOut }

    @Test(arguments: End.allCases)
    func itAnswersNoCallWhileALateResponseIsAwaited(end: End) async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        let first = Task { try await wire.session.callRaw("first", timeout: .seconds(1)) }
        let late = try await wire.peer.expectRequest("first")
        switch end {
        case .cancelled: first.cancel()
        case .timedOut:
            await clock.waitForSleeper(dueIn: .seconds(1))
            clock.advance(by: .seconds(1))
        }
        _ = await first.result
        async let second: Int = wire.session.call("second", timeout: nil)
        let request = try await wire.peer.expectRequest("second")
        try wire.peer.send(Self.error)
        try wire.peer.reply(to: request, result: 2)
        #expect(try await second == 2)
        // The late response has arrived, so the next error can concern only the call in flight.
        try wire.peer.reply(to: late, result: 1)
        async let third = outcome { try await wire.session.callRaw("third", timeout: nil) }
        try await wire.peer.expectRequest("third")
        try wire.peer.send(Self.error)
        #expect((await third.failure as? ErrorObject)?.code == -32600)
        await wire.session.close()
    }

    @Test func noLateResponseIsAwaitedOfARequestThatWasWithdrawn() async throws {
        let wire = await Wire(holdsOutbox: true)
        let first = Task { try await wire.session.callRaw("first") }
        try await wire.near.waitForOutbox { $0 > 0 }
        first.cancel()
        _ = await first.result
        wire.near.releaseOutbox()
        async let second = outcome { try await wire.session.callRaw("second") }
        try await wire.peer.expectRequest("second")
        try wire.peer.send(Self.error)
        #expect((await second.failure as? ErrorObject)?.code == -32600)
        await wire.session.close()
    }

    /// Some servers answer a notification with an error. The id of such an error is `null`.
    @Test(arguments: [true, false])
    func itAnswersNoCallWhileThePeerMayRefuseANotification(comesFirst: Bool) async throws {
        let wire = await Wire()
        func notify() async throws {
            try await wire.session.notify("n")
            try await wire.peer.expectNotification("n")
        }
        if comesFirst { try await notify() }
        async let first: Int = wire.session.call("first")
        let request = try await wire.peer.expectRequest("first")
        if !comesFirst { try await notify() }
        try wire.peer.send(Self.error)
        try wire.peer.reply(to: request, result: 1)
        #expect(try await first == 1)
        // A later request has been answered, so the peer has processed the notification.
        async let second: Int = wire.session.call("second")
        try wire.peer.reply(to: try await wire.peer.expectRequest("second"), result: 2)
        #expect(try await second == 2)
        async let third = outcome { try await wire.session.callRaw("third") }
        try await wire.peer.expectRequest("third")
        try wire.peer.send(Self.error)
        #expect((await third.failure as? ErrorObject)?.code == -32600)
        await wire.session.close()
    }

    /// A server may answer anything, even the error for its own invalid message.
    @Test func itAnswersNoCallAfterAnAnswerToAnUnreadableMessage() async throws {
        let wire = await Wire(.with { $0.answersUnreadableMessages = true })
        async let call: Int = wire.session.call("m")
        let request = try await wire.peer.expectRequest("m")
        try wire.peer.send("garbage")
        try await wire.peer.expectMessage()
        try wire.peer.send(Self.error)
        try wire.peer.reply(to: request, result: 1)
        #expect(try await call == 1)
        await wire.session.close()
    }

    @Test func inTheAnswerToABatchItAnswersNoOtherCall() async throws {
        let wire = await Wire()
        async let other: Int = wire.session.call("other")
        let request = try await wire.peer.expectRequest("other")
        async let batch = wire.session.batch([.notification("n"), .call("a")])
        try await wire.peer.expectBatch(count: 2)
        try wire.peer.send(#"[\#(Self.error),{"jsonrpc":"2.0","id":2,"result":7}]"#)
        #expect(try await batch.last??.get().text == "7")
        try wire.peer.reply(to: request, result: 1)
        #expect(try await other == 1)
        await wire.session.close()
    }

    @Test func ofSeveralInOneArrayNoneAnswersACall() async throws {
        let wire = await Wire()
        async let call: Int = wire.session.call("m")
        let request = try await wire.peer.expectRequest("m")
        try wire.peer.send("[\(Self.error),\(Self.error)]")
        try wire.peer.reply(to: request, result: 1)
        #expect(try await call == 1)
        await wire.session.close()
    }

    // MARK: What the error says

    @Test func itSaysThatItWasAttributed() async throws {
        let wire = await Wire()
        async let single = outcome { try await wire.session.callRaw("m") }
        try await wire.peer.expectRequest("m")
        try wire.peer.send(Self.error)
        let error = try #require(await single.failure as? ErrorObject)
        #expect(error.isAttributed)
        #expect(error.description.contains("attributed to this call"))
        async let batch = wire.session.batch([.call("a"), .call("b")])
        try await wire.peer.expectBatch(count: 2)
        try wire.peer.send(Self.error)
        for outcome in try await batch { #expect(outcome?.failure?.errorObject?.isAttributed == true) }
        async let addressed = outcome { try await wire.session.callRaw("m") }
        let request = try await wire.peer.expectRequest("m")
        try wire.peer.reply(to: request, error: ErrorObject(code: -32600, message: "Invalid Request"))
        let other = try #require(await addressed.failure as? ErrorObject)
        #expect(!other.isAttributed && other == error)
        #expect(other.description == "error -32600 for `m`: Invalid Request")
        await wire.session.close()
    }

    @Test func anErrorThatCannotBeReadSaysItToo() async throws {
        let wire = await Wire()
        async let call = outcome { try await wire.session.callRaw("m") }
        try await wire.peer.expectRequest("m")
        try wire.peer.send(#"{"jsonrpc":"2.0","id":null,"error":"no such command"}"#)
        let error = try #require(await call.failure as? ClientError)
        #expect(error.code == .protocolViolation && error.irregularity == .malformedError)
        #expect(error.message.contains("attributed to this call"))
        await wire.session.close()
    }
}
