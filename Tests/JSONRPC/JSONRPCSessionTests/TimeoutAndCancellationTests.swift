// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct TimeoutTests {
    @Test func callWithoutAnAnswerTimesOutAndOthersGoOn() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        let events = wire.session.events
        async let slow = outcome { try await wire.session.callRaw("slow", timeout: .seconds(5)) }
        let slowRequest = try await wire.peer.expectRequest("slow")
        async let other: Int = wire.session.call("other")
        let otherRequest = try await wire.peer.expectRequest("other")
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        let error = try #require(await slow.failure as? ClientError)
        #expect(error.code == .timedOut)
        #expect(error.delivery == .outcomeUnknown)
        #expect(error.requestID == 1)
        #expect(error.method == "slow")
        try wire.peer.reply(to: slowRequest, result: "late")
        try wire.peer.reply(to: otherRequest, result: 7)
        #expect(try await other == 7)
        await wire.session.close()
        #expect(await events.irregularities() == [.lateResponse])
    }

    @Test func timeoutIs60SecondsUnlessSaidOtherwise() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        async let answer: Int = wire.session.call("m")
        let request = try await wire.peer.expectRequest("m")
        await clock.waitForSleepers(1)
        #expect(clock.timeToNextWaking == .seconds(60))
        try wire.peer.reply(to: request, result: 1)
        #expect(try await answer == 1)
        await wire.session.close()
    }

    @Test func nilMeansNoTimeout() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        async let answer: Int = wire.session.call("m", timeout: nil)
        let request = try await wire.peer.expectRequest("m")
        clock.advance(by: .seconds(1_000_000))
        #expect(clock.sleeperCount == 0)
        try wire.peer.reply(to: request, result: 1)
        #expect(try await answer == 1)
        await wire.session.close()
    }

    @Test func earlierDeadlineResetsTheTimer() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        async let long = outcome { try await wire.session.callRaw("long", timeout: .seconds(50)) }
        try await wire.peer.expectRequest("long")
        await clock.waitForSleepers(1)
        async let short = outcome { try await wire.session.callRaw("short", timeout: .milliseconds(10)) }
        try await wire.peer.expectRequest("short")
        await clock.waitForSleeper(dueIn: .milliseconds(10))
        clock.advance(by: .milliseconds(10))
        #expect((await short.failure as? ClientError)?.code == .timedOut)
        await clock.waitForSleeper(dueIn: .seconds(50) - .milliseconds(10))
        clock.advance(by: .seconds(50))
        #expect((await long.failure as? ClientError)?.code == .timedOut)
        await wire.session.close()
    }

    @Test func requestStillInTheOutboxIsWithdrawn() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock }, holdsOutbox: true)
        async let answer = outcome { try await wire.session.callRaw("m", timeout: .seconds(1)) }
        try await wire.untilInFlight(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect((await answer.failure as? ClientError)?.delivery == .notSent)
        wire.near.releaseOutbox()
        await wire.session.close()
        try await wire.peer.expectClosure()
        try wire.peer.expectNothingMore()
    }
}

@Suite(.inTurn(within: .seconds(60)))
struct CancellationTests {
    @Test func cancelledCallEndsAtOnceAndItsResponseIsLate() async throws {
        let wire = await Wire()
        let events = wire.session.events
        let task = Task { try await wire.session.callRaw("m") }
        let request = try await wire.peer.expectRequest("m")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(wire.session.callsInFlight == 0)
        try wire.peer.reply(to: request, result: 1)
        try await wire.roundTrip()
        await wire.session.close()
        #expect(await events.irregularities() == [.lateResponse])
        try await wire.peer.expectClosure()
        try wire.peer.expectNothingMore()
    }

    @Test(arguments: [("$/cancelRequest", "id"), ("notifications/cancelled", "requestId"), ("own/stop", "call")])
    func peerIsToldInTheChosenWay(method: String, param: String) async throws {
        let notice: CancellationNotice =
            switch method {
            case "$/cancelRequest": .cancelRequest
            case "notifications/cancelled": .cancelled
            default: CancellationNotice(method: method, param: param)
            }
        let wire = await Wire(.with { $0.calls.cancellationNotice = notice })
        let task = Task { try await wire.session.callRaw("m") }
        try await wire.peer.expectRequest("m")
        task.cancel()
        try await wire.peer.expectNotification(method, params: [param: 1])
        await #expect(throws: CancellationError.self) { try await task.value }
        await wire.session.close()
    }

    @Test func requestStillInTheOutboxIsWithdrawnAndNothingTold() async throws {
        let wire = await Wire(.with { $0.calls.cancellationNotice = .cancelRequest }, holdsOutbox: true)
        let task = Task { try await wire.session.callRaw("m") }
        try await wire.untilInFlight(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        wire.near.releaseOutbox()
        await wire.session.close()
        try await wire.peer.expectClosure()
        try wire.peer.expectNothingMore()
    }

    @Test func callInACancelledTaskSendsNothing() async throws {
        let wire = await Wire()
        let session = wire.session
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await session.callRaw("m")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        await session.close()
        #expect(session.callCounts.issued == 0)
        try await wire.peer.expectClosure()
        try wire.peer.expectNothingMore()
    }

    /// Calls, cancellations, answers and timeouts at the same time, on all threads.
    @Test func stormOfCancellationsSettlesEveryCallOnce() async throws {
        let server = DuplexSession()
        server.handle("echo") { (params: [Int]) in params }
        let client = DuplexSession()
        try await InMemoryConnector { server.receiver }.connect(receiver: client.receiver)
        let answered = await withTaskGroup(of: Int.self) { group in
            for caller in 0..<100 {
                group.addTask {
                    var answered = 0
                    for number in 0..<50 {
                        let task = Task { try await client.callRaw("echo", params: RawJSON(encoding: [number])) }
                        if (caller + number) % 3 == 0 { task.cancel() }
                        if case .success(let result) = await task.result {
                            #expect(result.text == "[\(number)]")
                            answered += 1
                        }
                    }
                    return answered
                }
            }
            return await group.reduce(0, +)
        }
        #expect(answered >= 100 * 50 * 2 / 3 - 100)
        await client.close()
        let counts = client.callCounts
        #expect(counts.issued == counts.settled)
        #expect(client.callsInFlight == 0)
        await server.closed()
    }
}
