// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Many calls with one consumer over clients that reconnect.
@Suite(.inTurn(within: .seconds(60)))
struct CallResultsReconnectTests {
    // MARK: Lost calls

    @Test func lostCallsAreRepeatedAsSingleCallsAre() async throws {
        let server = ReconnectingPeer()
        let client = server.client()
        try await client.connect()
        let near = try #require(server.dials.near)
        let requests = [
            Numbered(number: 0, isIdempotent: true), Numbered(number: 1), Numbered(number: 2, isIdempotent: true),
            Numbered(number: 3), Numbered(number: 4),
        ]
        let calls = ManyCalls(requests, over: client, inFlight: 4)
        let first = try await server.peer.expectRequest("number", params: [0])
        for number in 1..<4 { try await server.peer.expectRequest("number", params: [.init(number)]) }
        near.holdOutbox()
        try server.peer.reply(to: first, result: 0)
        // The last request stays in the outbox.
        try await near.waitForOutbox { $0 > 0 }
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        for number in [2, 4] {
            try server.peer.reply(
                to: try await server.peer.expectRequest("number", params: [.init(number)]), result: .init(number))
        }
        try await calls.task.value
        for index in [0, 2, 4] { #expect(await calls.outcome(index) == .success(index)) }
        for index in [1, 3] {
            let error = try #require(await calls.outcome(index)?.callError?.clientError)
            #expect(error.code == .connectionLost && error.delivery == .outcomeUnknown && error.method == "number")
        }
        await client.close()
        try server.peer.expectNothingMore()
    }

    @Test func callsWaitForTheNextConnection() async throws {
        let server = ReconnectingPeer()
        let client = server.client()
        try await client.connect()
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        let calls = ManyCalls(Numbered.upTo(3), over: client, inFlight: 2, timeout: .seconds(30))
        await server.clock.waitForSleeper(dueIn: .seconds(30))
        try await server.letConnect(after: .seconds(2))
        for _ in 0..<3 {
            let request = try await server.peer.expectRequest("number")
            try server.peer.reply(to: request, result: request.params?[0] ?? .null)
        }
        try await calls.task.value
        #expect(calls.outcomes.elements.allSatisfy { $0.result == .success($0.index) })
        await client.close()
    }

    @Test func theTimeoutIncludesTheTimeWithoutAConnection() async throws {
        let server = ReconnectingPeer()
        let client = server.client()
        try await client.connect()
        let calls = ManyCalls(
            Numbered.upTo(1, isIdempotent: true), over: client, timeout: .seconds(10))
        try await server.peer.expectRequest("number")
        server.clock.advance(by: .seconds(7))
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        try await server.peer.expectRequest("number")
        await server.clock.waitForSleeper(dueIn: .seconds(1))
        server.clock.advance(by: .seconds(1))
        try await calls.task.value
        let error = try #require(await calls.outcome(0)?.callError?.clientError)
        #expect(error.code == .timedOut && error.delivery == .outcomeUnknown)
        await client.close()
    }

    @Test func theTimeoutBeginsWhenTheCallIsSubmitted() async throws {
        let server = ReconnectingPeer()
        let client = server.client()
        try await client.connect()
        let clock = server.clock
        // Requests are submitted in groups of 64. The next request after the first group takes eight seconds.
        let requests = (0...64).lazy.map { number in
            if number == 64 { clock.advance(by: .seconds(8)) }
            return Numbered(number: number, isIdempotent: number == 64)
        }
        let outcomes = EventLog<(Int, Result<Int, CallError>)>()
        let task = Task {
            for try await outcome in client.results(of: requests, timeout: .seconds(9)) { outcomes.record(outcome) }
        }
        for number in 0...64 { try await server.peer.expectRequest("number", params: [.init(number)]) }
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        let request = try await server.peer.expectRequest("number", params: [64])
        try server.peer.reply(to: request, result: 64)
        try await task.value
        #expect(outcomes.elements.count == 65)
        for (index, result) in outcomes.elements {
            #expect(index == 64 ? result == .success(64) : result.callError?.clientError?.code == .connectionLost)
        }
        await client.close()
        try server.peer.expectNothingMore()
    }

    @Test func noMoreCallsBeginThanMayWaitForAConnection() async throws {
        let server = ReconnectingPeer()
        let client = server.client(change: { $0.disconnectedCalls = .wait(atMost: 2) })
        try await client.connect()
        server.peer.drop()
        await server.clock.waitForSleeper(dueIn: .seconds(2))
        let calls = ManyCalls(Numbered.upTo(6), over: client, inFlight: 5, timeout: .seconds(30))
        await server.clock.waitForSleeper(dueIn: .seconds(30))
        try await server.letConnect(after: .seconds(2))
        for _ in 0..<6 {
            let request = try await server.peer.expectRequest("number")
            try server.peer.reply(to: request, result: request.params?[0] ?? .null)
        }
        try await calls.task.value
        #expect(calls.outcomes.elements.count == 6)
        #expect(calls.outcomes.elements.allSatisfy { $0.result == .success($0.index) })
        await client.close()
    }

    // MARK: A loop whose body lasts longer than the reconnect

    /// Requests whose consumption a test can observe. One of them, and the end, arrive when the test says so.
    private struct Source: AsyncSequence, Sendable {
        let count: Int
        var gated: Int?
        let gate = EventLog<Void>()
        let asked = EventLog<Int>()
        let mayEnd = EventLog<Void>()

        struct AsyncIterator: AsyncIteratorProtocol {
            let source: Source
            var number = 0

            mutating func next() async -> Numbered? {
                source.asked.record(number)
                if number == source.gated { await source.gate.wait(count: 1) }
                if number == source.count {
                    await source.mayEnd.wait(count: 1)
                    return nil
                }
                defer { number += 1 }
                return Numbered(number: number)
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: self) }

        /// Waits until all requests were taken.
        func allAreTaken() async { await asked.wait(count: count + 1) }
    }

    /// A loop that stops after each outcome until the test lets it continue.
    private struct SlowLoop: Sendable {
        let outcomes = EventLog<(index: Int, result: Result<Int, CallError>)>()
        let steps = EventLog<Void>()
        let task: Task<Void, any Error>

        init(_ results: @escaping @Sendable () -> CallResults<Numbered>) {
            task = Task { [outcomes, steps] in
                var count = 0
                for try await outcome in results() {
                    outcomes.record(outcome)
                    count += 1
                    _ = await steps.wait(count: count)
                }
            }
        }

        /// Lets the loop take the next outcome.
        func goOn() { steps.record(()) }
    }

    @Test func callsThatAnOldConnectionRefusedAreSentOverTheNext() async throws {
        let server = ReconnectingPeer()
        let client = server.client()
        try await client.connect()
        let near = try #require(server.dials.near)
        let far = try #require(server.dials.far)
        let source = Source(count: 4)
        let loop = SlowLoop { client.results(of: source, inFlight: 3) }
        var sent: [ReceivedCall] = []
        for number in 0..<3 { sent.append(try await server.peer.expectRequest("number", params: [.init(number)])) }
        await source.allAreTaken()
        // From here on, the connection refuses messages, but the session does not know it.
        near.holdOutbox()
        near.close(code: 1000, reason: "", deadline: .seconds(600))
        near.holdInbox()
        for number in 0..<2 { try server.peer.reply(to: sent[number], result: .init(number)) }
        await far.queueIsIdle()
        await near.queueIsIdle()
        near.releaseInbox()
        _ = await loop.outcomes.wait(count: 1)
        near.dropConnection()
        try await server.letConnect(after: .seconds(2))
        await client.reaches(.connected)
        loop.goOn()
        loop.goOn()
        let last = try await server.peer.expectRequest("number", params: [3])
        #expect(client.state == .connected)
        try server.peer.reply(to: last, result: 3)
        source.mayEnd.record(())
        for _ in 0..<2 { loop.goOn() }
        try await loop.task.value
        let results = Dictionary(uniqueKeysWithValues: loop.outcomes.elements.map { ($0.index, $0.result) })
        #expect(results[0] == .success(0) && results[1] == .success(1) && results[3] == .success(3))
        #expect(results[2]?.callError?.delivery == .outcomeUnknown)
        await client.close()
    }

    @Test func leavingTheLoopCancelsTheCallsOfTheNextConnection() async throws {
        let server = ReconnectingPeer()
        let client = server.client(configuration: { $0.calls.cancellationNotice = .cancelRequest })
        try await client.connect()
        let loop = SlowLoop { client.results(of: Numbered.upTo(5), inFlight: 2) }
        let first = try await server.peer.expectRequest("number", params: [0])
        try await server.peer.expectRequest("number", params: [1])
        try server.peer.reply(to: first, result: 0)
        try await server.peer.expectRequest("number", params: [2])
        _ = await loop.outcomes.wait(count: 1)
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        await client.reaches(.connected)
        for _ in 0..<3 { loop.goOn() }
        for number in 3..<5 { try await server.peer.expectRequest("number", params: [.init(number)]) }
        loop.task.cancel()
        await #expect(throws: CancellationError.self) { try await loop.task.value }
        for _ in 0..<2 { try await server.peer.expectNotification("$/cancelRequest") }
        await client.close()
        try server.peer.expectNothingMore()
    }

    @Test func leavingTheLoopCancelsNoCallOfOthers() async throws {
        let server = ReconnectingPeer()
        let client = server.client(configuration: { $0.calls.cancellationNotice = .cancelRequest })
        try await client.connect()
        let source = Source(count: 4, gated: 3)
        let loop = SlowLoop { client.results(of: source, inFlight: 4) }
        let first = try await server.peer.expectRequest("number", params: [0])
        for number in 1..<3 { try await server.peer.expectRequest("number", params: [.init(number)]) }
        try server.peer.reply(to: first, result: 0)
        _ = await loop.outcomes.wait(count: 1)
        server.peer.drop()
        try await server.letConnect(after: .seconds(2))
        await client.reaches(.connected)
        // The calls of others have the same places in their session as the lost calls had in the earlier one.
        let others = ManyCalls(Numbered.upTo(3), over: client)
        var theirs: [ReceivedCall] = []
        for number in 0..<3 { theirs.append(try await server.peer.expectRequest("number", params: [.init(number)])) }
        source.gate.record(())
        await source.allAreTaken()
        loop.goOn()
        try await server.peer.expectRequest("number", params: [3])
        _ = await loop.outcomes.wait(count: 2)
        loop.task.cancel()
        loop.goOn()
        await #expect(throws: CancellationError.self) { try await loop.task.value }
        try await server.peer.expectNotification("$/cancelRequest")
        for (number, request) in theirs.enumerated() { try server.peer.reply(to: request, result: .init(number)) }
        try await others.task.value
        #expect(others.outcomes.elements.allSatisfy { $0.result == .success($0.index) })
        await client.close()
        try server.peer.expectNothingMore()
    }
}
