// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import SessionTestSupport
import TestSupport
import TestTurns
import Testing

/// The ends of calls that are not answered, over every transport.
@Suite(.inTurn(within: .seconds(60))) struct EndingBehaviourTests {
    // MARK: Timeouts

    @Test(arguments: Engine.allCases)
    func callTimesOutAndItsLateAnswerHarmsNobody(engine: Engine) async throws {
        let clock = ManualClock()
        var configuration = SessionConfiguration()
        configuration.clock = clock
        try await Pair.with(engine, configuration: configuration) { pair in
            let events = pair.client.events
            async let first = clientError { try await pair.client.call("a", as: Int.self, timeout: .seconds(5)) }
            let a = try await pair.peer.expectRequest("a")
            async let second: Int = pair.client.call("b", timeout: .seconds(10))
            let b = try await pair.peer.expectRequest("b")
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(5))
            let error = try await first
            #expect(error?.code == .timedOut && error?.delivery == .outcomeUnknown && error?.requestID == 1)
            try pair.peer.reply(to: a, result: 1)
            try pair.peer.reply(to: b, result: 2)
            try pair.peer.notify("end")
            #expect(try await second == 2)
            #expect(await events.irregularitiesByMessage() == [[.lateResponse]])
        }
    }

    @Test(arguments: Engine.allCases)
    func standardTimeoutIsThatOfTheConfiguration(engine: Engine) async throws {
        let clock = ManualClock()
        var configuration = SessionConfiguration()
        configuration.clock = clock
        try await Pair.with(engine, configuration: configuration) { pair in
            async let error = clientError { try await pair.client.call("a", as: Int.self) }
            try await pair.peer.expectRequest("a")
            await clock.waitForSleepers(1)
            #expect(clock.timeToNextWaking == .seconds(60))
            clock.advance(by: .seconds(60))
            let timeout = try await error
            #expect(timeout?.code == .timedOut)
        }
    }

    // MARK: Cancellation

    @Test(arguments: Engine.allCases)
    func cancelledCallEndsAtOnceAndThePeerIsTold(engine: Engine) async throws {
        var configuration = SessionConfiguration()
        configuration.calls.cancellationNotice = .cancelRequest
        try await Pair.with(engine, configuration: configuration) { pair in
            let events = pair.client.events
            let call = Task { try await pair.client.call("a", as: Int.self) }
            let a = try await pair.peer.expectRequest("a")
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await pair.peer.expectNotification("$/cancelRequest", params: ["id": 1])
            try pair.peer.reply(to: a, error: ErrorObject(code: -32800, message: "cancelled"))
            try pair.peer.notify("end")
            // The protocol requires this response, so it is counted and is not an event.
            #expect(await events.irregularitiesByMessage().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func cancelledTaskSendsNothing(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            let call = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await pair.client.call("never", as: Int.self)
            }
            await #expect(throws: CancellationError.self) { try await call.value }
            try await pair.client.notify("after")
            try await pair.peer.expectNotification("after")
            #expect(pair.peer.received.count == 1)
        }
    }

    // MARK: The end of the connection

    @Test(arguments: Engine.allCases)
    func localCloseSettlesEveryCall(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            try await withThrowingTaskGroup(of: ClientError?.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await clientError { try await pair.client.call("m", as: Int.self) } }
                }
                for _ in 0..<50 { try await pair.peer.expectRequest("m") }
                await pair.client.close()
                for try await error in group {
                    #expect(error?.code == .closed && error?.delivery == .outcomeUnknown)
                }
            }
            let closure = try await pair.peer.expectClosure()
            #expect(closure.initiator == .remote && closure.code == 1000)
            #expect(pair.session.closure?.code == 1000)
            let late = try await clientError { try await pair.client.call("late", as: Int.self) }
            #expect(late?.delivery == .notSent)
        }
    }

    @Test(arguments: Engine.allCases)
    func drainLetsCallsInFlightEnd(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            async let result: Int = pair.client.call("m")
            let request = try await pair.peer.expectRequest("m")
            async let closed: Void = pair.session.close(drain: .seconds(60))
            // A call that is refused shows that the close has begun.
            while try await clientError({ try await pair.session.notify("probe") }) == nil {
                try await pair.peer.expectNotification("probe")
            }
            try pair.peer.reply(to: request, result: 5)
            #expect(try await result == 5)
            await closed
        }
    }

    @Test(arguments: Engine.allCases)
    func closeByThePeerIsToldWithItsCodeAndReason(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            async let error = clientError { try await pair.client.call("m", as: Int.self) }
            try await pair.peer.expectRequest("m")
            pair.peer.close(code: 1001, reason: "going away")
            let loss = try await error
            #expect(loss?.code == .connectionLost && loss?.delivery == .outcomeUnknown && loss?.closeCode == 1001)
            await pair.session.closed()
            let closure = pair.session.closure
            #expect(closure?.initiator == .remote && closure?.code == 1001 && closure?.reason == "going away")
        }
    }

    @Test(arguments: Engine.allCases)
    func runThrowsTheLossAndReturnsOnALocalClose(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            async let end = clientError { try await pair.client.run() }
            pair.peer.close(code: 1001, reason: "")
            let loss = try await end
            #expect(loss?.code == .connectionLost)
        }
        try await Pair.with(engine) { pair in
            async let end = clientError { try await pair.client.run() }
            await pair.client.close()
            let loss = try await end
            #expect(loss == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func answersBeforeTheCloseStillCount(engine: Engine) async throws {
        try await Pair.with(engine) { pair in
            async let result: Int = pair.client.call("m")
            let request = try await pair.peer.expectRequest("m")
            try pair.peer.reply(to: request, result: 3)
            pair.peer.close()
            #expect(try await result == 3)
        }
    }

    // MARK: In memory alone, where the outbox can be held

    @Test func messagesLeftInTheOutboxAreNotSent() async throws {
        try await heldOutbox { pair, near in
            async let sent = clientError { try await pair.client.call("sent", as: Int.self) }
            try await pair.peer.expectRequest("sent")
            near.holdOutbox()
            async let held = clientError { try await pair.client.call("held", as: Int.self) }
            try await near.waitForOutbox { $0 > 0 }
            near.dropConnection()
            let (first, second) = try await (sent, held)
            #expect(first?.delivery == .outcomeUnknown)
            #expect(second?.delivery == .notSent)
        }
    }

    @Test func cancelledCallInTheOutboxIsWithdrawn() async throws {
        var configuration = SessionConfiguration()
        configuration.calls.cancellationNotice = .cancelRequest
        try await heldOutbox(configuration) { pair, near in
            near.holdOutbox()
            let call = Task { try await pair.client.call("held", as: Int.self) }
            try await near.waitForOutbox { $0 > 0 }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await near.waitForOutbox { $0 == 0 }
            near.releaseOutbox()
            try await pair.client.notify("after")
            try await pair.peer.expectNotification("after")
            #expect(pair.peer.received.count == 1)
        }
    }

    /// Gives the test the near end, too.
    private func heldOutbox(
        _ configuration: SessionConfiguration = SessionConfiguration(),
        _ body: (Pair, InMemoryTransport) async throws -> Void
    ) async throws {
        let ends = EventLog<InMemoryTransport>()
        let peer = ScriptedPeer()
        let connector = WrappingConnector(peer.connector) { receiver in
            PassingReceiver(receiver, opened: { if let near = $0 as? InMemoryTransport { ends.record(near) } })
        }
        let client = JSONRPCClient(connector: connector, configuration: configuration)
        try await client.connect()
        let session = try #require(client.session)
        let near = try #require(ends.elements.first)
        try await body(Pair(client: client, session: session, peer: peer), near)
        await session.close(drain: .zero)
        #expect(session.callCounts.issued == session.callCounts.settled)
    }
}
