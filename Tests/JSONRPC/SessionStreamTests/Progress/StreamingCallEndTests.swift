// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import Synchronization
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

private typealias Numbers = StreamingCall<Int, Int>

/// The ends of streaming calls: cancellation, time limits, lost connections.
@Suite(.inTurn(within: .seconds(60))) struct StreamingCallEndTests {
    private func count(
        _ endpoint: some JSONRPCEndpoint, style: ProgressStyle = .workDone, idleTimeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) throws -> Numbers {
        try endpoint.streamingCall("count", style: style, idleTimeout: idleTimeout, options: options)
    }

    private func publish(_ value: Int, _ token: String, _ peer: ScriptedPeer) throws {
        try peer.notify("$/progress", params: ["token": JSONValue(token), "value": JSONValue(value)])
    }

    // MARK: Cancellation

    @Test func leavingTheLoopCancelsTheCallAtThePeer() async throws {
        let wire = await Wire()
        func firstNumber() async throws -> Int? {
            for try await element in try count(wire.session) {
                if case .progress(let number) = element { return number }
            }
            return nil
        }
        async let first = firstNumber()
        let request = try await wire.peer.expectRequest("count")
        let token = try #require(request.params?["workDoneToken"])
        try wire.peer.notify("$/progress", params: ["token": token, "value": 7])
        #expect(try await first == 7)
        try await wire.peer.expectNotification("$/cancelRequest", params: ["id": try #require(request.id)])
        try await wire.untilInFlight(0)
    }

    @Test func cancellingTheTaskCancelsTheCallAtThePeer() async throws {
        let wire = await Wire()
        let call = try count(wire.session)
        let loop = Task { for try await _ in call {} }
        let request = try await wire.peer.expectRequest("count")
        loop.cancel()
        await #expect(throws: CancellationError.self) { try await loop.value }
        // The call is still retained here.
        try await wire.peer.expectNotification("$/cancelRequest", params: ["id": try #require(request.id)])
        await #expect(throws: CancellationError.self) { try await call.result }
    }

    @Test func aWaitForTheResultIsCancelledLikeACall() async throws {
        let wire = await Wire()
        let call = try count(wire.session)
        let wait = Task { try await call.result }
        let request = try await wire.peer.expectRequest("count")
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
        try await wire.peer.expectNotification("$/cancelRequest", params: ["id": try #require(request.id)])
    }

    @Test func theNoticeOfTheSessionComesFirst() async throws {
        let wire = await Wire(.with { $0.calls.cancellationNotice = CancellationNotice(method: "stop", param: "call") })
        let call = try count(wire.session)
        let request = try await wire.peer.expectRequest("count")
        call.cancel()
        try await wire.peer.expectNotification("stop", params: ["call": try #require(request.id)])
        try await wire.roundTrip()
        try wire.peer.expectNothingMore()
    }

    @Test func aStyleWithoutANoticeSendsNone() async throws {
        let wire = await Wire()
        let call = try count(wire.session, style: ProgressStyle(notification: "p", requestedBy: "t"))
        try await wire.peer.expectRequest("count")
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.result }
        try await wire.roundTrip()
        try wire.peer.expectNothingMore()
    }

    @Test func cancellingACallThatHasEndedChangesNothing() async throws {
        let wire = await Wire()
        let call = try count(wire.session)
        try wire.peer.reply(to: try await wire.peer.expectRequest("count"), result: 3)
        #expect(try await call.result == 3)
        call.cancel()
        #expect(try await call.result == 3)
        try await wire.roundTrip()
        try wire.peer.expectNothingMore()
    }

    // MARK: Time limits

    @Test func aCallWithoutProgressEndsAfterItsIdleTimeout() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        let call = try count(wire.session, idleTimeout: .seconds(10))
        let request = try await wire.peer.expectRequest("count")
        // Progress postpones the end: at 8 s from 10 s to 18 s, at 17 s to 27 s.
        await clock.waitForSleeper(dueIn: .seconds(10))
        clock.advance(by: .seconds(8))
        try publish(1, call.token, wire.peer)
        try await wire.roundTrip()
        clock.advance(by: .seconds(2))
        await clock.waitForSleeper(dueIn: .seconds(8))
        clock.advance(by: .seconds(7))
        try publish(2, call.token, wire.peer)
        try await wire.roundTrip()
        clock.advance(by: .seconds(1))
        await clock.waitForSleeper(dueIn: .seconds(9))
        let wait = Task { try await call.result }
        clock.advance(by: .seconds(9))
        let error = try #require(await outcome { try await wait.value }.failure as? ClientError)
        #expect(error.code == .timedOut && error.method == "count" && error.delivery == .outcomeUnknown)
        #expect(error.message.contains("no progress for 10"))
        try await wire.peer.expectNotification("$/cancelRequest", params: ["id": try #require(request.id)])
        var progress: [Int] = []
        await #expect(throws: ClientError.self) { try await call.result { progress.append($0) } }
        #expect(progress == [1, 2])
    }

    // MARK: Lost connections

    @Test func theLossOfTheConnectionEndsTheLoopWithTheErrorOfTheCall() async throws {
        let wire = await Wire()
        let call = try count(wire.session)
        try await wire.peer.expectRequest("count")
        try publish(1, call.token, wire.peer)
        try await wire.roundTrip()
        wire.peer.drop()
        var progress: [Int] = []
        let error = try #require(
            await #expect(throws: ClientError.self) { try await call.result { progress.append($0) } })
        #expect(error.code == .connectionLost && error.delivery == .outcomeUnknown && error.method == "count")
        #expect(progress == [1])
    }

    @Test func aRepeatedCallHasAGapWhereItsProgressBeginsAnew() async throws {
        let server = ReconnectingPeer()
        let client = server.client()
        try await client.connect()
        let call = try count(client, options: CallOptions(isIdempotent: true))
        try await server.peer.expectRequest("count")
        try publish(1, call.token, server.peer)
        var iterator = call.makeAsyncIterator()
        #expect(try await iterator.next() == .progress(1))
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        let second = try await server.peer.expectRequest("count", params: ["workDoneToken": JSONValue(call.token)])
        try publish(1, call.token, server.peer)
        try publish(2, call.token, server.peer)
        try server.peer.reply(to: second, result: 2)
        var rest: [Numbers.Element] = []
        while let element = try await iterator.next() { rest.append(element) }
        #expect(
            rest == [.gap(NotificationGap(reason: .repeated, count: nil)), .progress(1), .progress(2), .result(2)])
        await client.close()
    }

    @Test func aCallThatIsNotIdempotentIsNotRepeated() async throws {
        let server = ReconnectingPeer()
        let client = server.client()
        try await client.connect()
        let call = try count(client)
        try await server.peer.expectRequest("count")
        server.peer.drop()
        let error = try #require(await outcome { try await call.result }.failure as? ClientError)
        #expect(error.code == .connectionLost && error.delivery == .outcomeUnknown)
        try await server.letConnect(after: .seconds(2))
        await client.reaches(.connected)
        await client.close()
        try server.peer.expectNothingMore()
    }

    @Test func closingTheSessionEndsTheCall() async throws {
        let wire = await Wire()
        let call = try count(wire.session)
        try await wire.peer.expectRequest("count")
        wire.session.closeNow()
        let error = try #require(await outcome { try await call.result }.failure as? ClientError)
        #expect(error.code == .closed)
        #expect(wire.session.driver.endpoint.notifications.state.withLock { $0.table.calls.count } == 0)
    }

    // MARK: The other side

    @Test func aHandlerReportsProgress() async throws {
        let (client, server) = try await pair()
        server.setHandler("count") { call in
            for number in 1...3 {
                let isWanted = try await call.reportProgress(number, style: .workDone)
                #expect(isWanted)
            }
            return try RawJSON(encoding: 3)
        }
        var progress: [Int] = []
        #expect(try await count(client).result { progress.append($0) } == 3)
        #expect(progress == [1, 2, 3])
        await client.close()
    }

    @Test func progressThatNobodyAskedForIsNotSent() async throws {
        struct Step: Codable, Sendable { var progress: Int }
        let (client, server) = try await pair()
        server.setHandler("count") { call in
            let isWanted = try await call.reportProgress(Step(progress: 1), style: .modelContext)
            return try RawJSON(encoding: isWanted)
        }
        #expect(try await client.call("count") == false)
        #expect(try await client.call("count", params: ["_meta": ["progressToken": .null]]) == false)
        let call: StreamingCall<Step, Bool> = try client.streamingCall("count", style: .modelContext)
        var steps = 0
        #expect(try await call.result { steps += $0.progress })
        #expect(steps == 1)
        await client.close()
    }

    @Test func aCancelledStreamCancelsItsHandler() async throws {
        let (client, server) = try await pair()
        server.setHandler("count") { call in
            var number = 0
            while true {
                // The notification of a cancelled handler throws.
                try await call.reportProgress(number, style: .workDone)
                number += 1
            }
        }
        for try await element in try count(client) {
            if case .progress(let number) = element, number >= 100 { break }
        }
        await server.close()
        #expect(server.callCounts.issued == server.callCounts.settled)
        await client.close()
    }

    private func pair() async throws -> (DuplexSession, DuplexSession) {
        let client = DuplexSession()
        let server = DuplexSession(configuration: .with { $0.calls.cancellationNotice = .cancelRequest })
        let (near, far) = InMemoryTransport.pair()
        await far.open(receiver: server.receiver)
        await near.open(receiver: client.receiver)
        return (client, server)
    }
}
