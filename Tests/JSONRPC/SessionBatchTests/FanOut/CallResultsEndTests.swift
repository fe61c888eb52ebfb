// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Timeouts, cancellation and the end of the connection during many calls with one consumer.
@Suite(.inTurn(within: .seconds(60)))
struct CallResultsEndTests {
    // MARK: Timeouts

    @Test func eachCallHasItsOwnTimeout() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        let events = wire.session.events
        let calls = ManyCalls(Numbered.upTo(2), over: wire.session, inFlight: 1, timeout: .seconds(5))
        let first = try await wire.peer.expectRequest("number", params: [0])
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        let second = try await wire.peer.expectRequest("number", params: [1])
        let error = try #require(await calls.outcome(0)?.callError?.clientError)
        #expect(error.code == .timedOut && error.delivery == .outcomeUnknown)
        #expect(error.requestID == 1 && error.method == "number")
        // The second call began later, so it has its own five seconds.
        clock.advance(by: .seconds(4))
        try wire.peer.reply(to: first, result: 1)
        try wire.peer.reply(to: second, result: 2)
        try await calls.task.value
        #expect(await calls.outcome(1) == .success(2))
        await wire.session.close()
        #expect(await events.irregularities() == [.lateResponse])
    }

    @Test func requestsStillInTheOutboxAreWithdrawnAtTheTimeout() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock }, holdsOutbox: true)
        let calls = ManyCalls(Numbered.upTo(3), over: wire.session, timeout: .seconds(1))
        try await wire.untilInFlight(3)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await calls.task.value
        for index in 0..<3 { #expect(await calls.outcome(index)?.callError?.delivery == .notSent) }
        wire.near.releaseOutbox()
        await wire.session.close()
        try await wire.peer.expectClosure()
        try wire.peer.expectNothingMore()
    }

    // MARK: Cancellation

    @Test func leavingTheLoopCancelsTheRestAndTellsThePeer() async throws {
        let wire = await Wire(.with { $0.calls.cancellationNotice = .cancelRequest })
        let session = wire.session
        let fourthIsSent = EventLog<Bool>()
        let task = Task {
            for try await (index, result) in session.results(of: Numbered.upTo(10), inFlight: 3) {
                #expect(index == 0 && result == .success(7))
                _ = await fourthIsSent.wait(count: 1)
                break
            }
        }
        let requests = [
            try await wire.peer.expectRequest("number", params: [0]),
            try await wire.peer.expectRequest("number", params: [1]),
            try await wire.peer.expectRequest("number", params: [2]),
        ]
        try wire.peer.reply(to: requests[0], result: 7)
        // The next request is sent in place of the answered call, before the consumer gets the result.
        try await wire.peer.expectRequest("number", params: [3])
        fourthIsSent.record(true)
        try await task.value
        #expect(session.callsInFlight == 0)
        var cancelled: Set<JSONValue> = []
        for _ in 0..<3 {
            let notice = try await wire.peer.expectNotification("$/cancelRequest")
            if let id = notice.params?["id"] { cancelled.insert(id) }
        }
        #expect(cancelled == [2, 3, 4])
        await session.close()
        #expect(session.callCounts == (4, 4))
        try await wire.peer.expectClosure()
        try wire.peer.expectNothingMore()
    }

    @Test func cancelledTaskThrowsAtOnceAndLateAnswersAreReported() async throws {
        let wire = await Wire()
        let events = wire.session.events
        let calls = ManyCalls(Numbered.upTo(2), over: wire.session)
        let first = try await wire.peer.expectRequest("number")
        try await wire.peer.expectRequest("number")
        calls.task.cancel()
        await #expect(throws: CancellationError.self) { try await calls.task.value }
        #expect(wire.session.callsInFlight == 0)
        #expect(calls.outcomes.elements.isEmpty)
        try wire.peer.reply(to: first, result: 1)
        try await wire.roundTrip()
        await wire.session.close()
        #expect(await events.irregularities() == [.lateResponse])
    }

    @Test func cancelledTaskSendsNothing() async throws {
        let wire = await Wire()
        let session = wire.session
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.outcomesInOrder(Numbered.upTo(3)).count
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        await session.close()
        #expect(session.callCounts.issued == 0)
        try await wire.peer.expectClosure()
        try wire.peer.expectNothingMore()
    }

    @Test func requestsStillInTheOutboxAreWithdrawnAndNothingTold() async throws {
        let wire = await Wire(.with { $0.calls.cancellationNotice = .cancelRequest }, holdsOutbox: true)
        let calls = ManyCalls(Numbered.upTo(100), over: wire.session, inFlight: 70)
        try await wire.untilInFlight(70)
        calls.task.cancel()
        await #expect(throws: CancellationError.self) { try await calls.task.value }
        wire.near.releaseOutbox()
        await wire.session.close()
        try await wire.peer.expectClosure()
        try wire.peer.expectNothingMore()
    }

    @Test func queuedRequestsAreCancelledToo() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 2 })
        let calls = ManyCalls(Numbered.upTo(10), over: wire.session, inFlight: 5)
        try await wire.untilIssued(5)
        for _ in 0..<2 { try await wire.peer.expectRequest("number") }
        calls.task.cancel()
        await #expect(throws: CancellationError.self) { try await calls.task.value }
        #expect(wire.session.callCounts == (5, 5))
        async let other: Int = wire.session.call("other")
        try wire.peer.reply(to: try await wire.peer.expectRequest("other"), result: 1)
        #expect(try await other == 1)
        await wire.session.close()
    }

    /// The iterator is released before the end was requested.
    @Test func releasingTheIteratorCancelsTheRest() async throws {
        let wire = await Wire()
        let session = wire.session
        let peer = wire.peer
        func takeOne() async throws {
            var iterator = session.results(of: Numbered.upTo(4)).makeAsyncIterator()
            async let answered: Void = {
                try peer.reply(to: try await peer.expectRequest("number"), result: 1)
            }()
            #expect(try await iterator.next()?.index == 0)
            try await answered
            #expect(session.callsInFlight == 3)
        }
        try await takeOne()
        #expect(session.callsInFlight == 0)
        await session.close()
    }

    // MARK: The end of the connection

    @Test func lossOfTheConnectionFailsEachCallWithItsDelivery() async throws {
        let wire = await Wire()
        let calls = ManyCalls(Numbered.upTo(5), over: wire.session, inFlight: 3)
        for _ in 0..<2 { try await wire.peer.expectRequest("number") }
        let third = try await wire.peer.expectRequest("number")
        wire.near.holdOutbox()
        try wire.peer.reply(to: third, result: 1)
        // The fourth request stays in the outbox.
        try await wire.near.waitForOutbox { $0 > 0 }
        wire.peer.drop()
        try await calls.task.value
        #expect(await calls.outcome(2) == .success(1))
        for (index, delivery) in [
            (0, ClientError.Delivery.outcomeUnknown), (1, .outcomeUnknown), (3, .notSent), (4, .notSent),
        ] {
            let error = try #require(await calls.outcome(index)?.callError?.clientError)
            #expect(error.delivery == delivery && error.method == "number", "call \(index)")
            #expect([.connectionLost, .closed, .notConnected].contains(error.code))
        }
        #expect(wire.session.callCounts.issued == wire.session.callCounts.settled)
    }

    @Test func gracefulCloseLetsTheCallsInFlightEnd() async throws {
        let wire = await Wire()
        let calls = ManyCalls(Numbered.upTo(3), over: wire.session, inFlight: 1)
        let request = try await wire.peer.expectRequest("number")
        async let closing: Void = wire.session.close()
        await wire.session.reaches(.draining)
        try wire.peer.reply(to: request, result: 1)
        try await calls.task.value
        await closing
        #expect(await calls.outcome(0) == .success(1))
        for index in 1..<3 {
            let error = try #require(await calls.outcome(index)?.callError?.clientError)
            #expect(error.code == .closed && error.delivery == .notSent)
        }
    }

    @Test func clientThatIsNotConnectedFailsEachCall() async throws {
        let client = JSONRPCClient(connector: ScriptedPeer().connector)
        let results = try await client.outcomesInOrder(Numbered.upTo(300))
        #expect(results.count == 300)
        #expect(results.allSatisfy { $0.callError?.clientError?.code == .notConnected })
    }
}
