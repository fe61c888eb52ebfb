// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Batches of request types over a session.
@Suite(.inTurn(within: .seconds(60)))
struct TypedBatchTests {
    private let subtract = Subtract(minuend: 42, subtrahend: 23)

    @Test("K3: requests of different types make one array, and their responses a tuple; void-in-batch is no error")
    func tuple() async throws {
        let wire = await Wire()
        let (subtract, count) = (subtract, CountCharacters(characters: "abc"))
        async let responses = wire.session.batch(subtract, count, Log("hi"))
        try await wire.peer.play(
            #"""
            --> [{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]},{"jsonrpc":"2.0","id":2,"method":"count_characters","params":{"characters":"abc"}},{"jsonrpc":"2.0","method":"log","params":["hi"]}]
            <-- [{"jsonrpc":"2.0","id":2,"result":3},{"jsonrpc":"2.0","id":1,"result":19}]
            """#)
        let (difference, length, _) = try await responses
        #expect([difference, length] == [19, 3])
        await wire.session.close()
    }

    @Test("K3: batch throws what the first failing request would have thrown alone")
    func firstFailure() async throws {
        let wire = await Wire()
        let subtract = subtract
        async let failed = outcome { try await wire.session.batch(subtract, Log("hi"), subtract, subtract) }
        try await wire.peer.expectBatch(count: 4)
        try wire.peer.send(
            #"[{"jsonrpc":"2.0","id":3,"error":{"code":3,"message":"third"}},{"jsonrpc":"2.0","id":1,"result":1},"#
                + #"{"jsonrpc":"2.0","id":2,"error":{"code":2,"message":"second"}}]"#)
        #expect(await failed.failure as? ErrorObject == ErrorObject(code: 2, message: "second"))
        await wire.session.close()
    }

    @Test("K3: results keeps every outcome, whichever way the server splits and orders its replies")
    func results() async throws {
        let wire = await Wire()
        let subtract = subtract
        async let outcomes = wire.session.results(subtract, Log("hi"), subtract, MethodCall("m"), subtract)
        try await wire.peer.expectBatch(count: 5)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":4,"result":4}"#)
        try wire.peer.send(
            #"[{"jsonrpc":"2.0","id":3,"result":{"a":1}},{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}]"#)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":2,"result":"no number"}"#)
        let (first, second, third, fourth, fifth) = try await outcomes
        #expect(first == .failure(.answered(ErrorObject(code: 1, message: "m"))))
        #expect(second.callError == nil)
        #expect(third.callError?.clientError?.code == .decodingFailed)
        #expect(fourth == .success(["a": 1]))
        #expect(fifth == .success(4))
        await wire.session.close()
    }

    @Test("K3 id:null, single error for batch: the server's error is that of every call")
    func oneErrorForAll() async throws {
        let wire = await Wire()
        let subtract = subtract
        async let outcomes = wire.session.batch([subtract, subtract])
        try await wire.peer.expectBatch(count: 2)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too many"}}"#)
        let expected = CallError.answered(ErrorObject(code: .invalidRequest, message: "too many"))
        #expect(try await outcomes == [.failure(expected), .failure(expected)])
        await wire.session.close()
    }

    @Test func requestThatCannotBeEncodedLeavesTheOthersToBeSent() async throws {
        let wire = await Wire()
        let subtract = subtract
        async let outcomes = wire.session.results(subtract, MethodCall("bad", params: 7), subtract)
        try await wire.peer.expectBatch(count: 2)
        try wire.peer.send(#"[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":2}]"#)
        let (first, second, third) = try await outcomes
        #expect(first == .success(1))
        #expect(second.callError?.clientError?.code == .encodingFailed)
        #expect(second.callError?.delivery == .notSent)
        #expect(third == .success(2))
        await wire.session.close()
    }

    @Test func mixedListGivesItsResultsToBeCast() async throws {
        let wire = await Wire()
        let requests: [any JSONRPCRequest] = [subtract, Log("x"), MethodCall("m", as: String.self)]
        async let outcomes = wire.session.batch(mixed: requests)
        try await wire.peer.expectBatch(count: 3)
        try wire.peer.send(#"[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":"b"}]"#)
        let results = try await outcomes
        #expect(try results[0].get() as? Int == 1)
        #expect(try results[1].get() is Void)
        #expect(try results[2].get() as? String == "b")
        await wire.session.close()
    }

    @Test func notificationsAloneWaitForNothing() async throws {
        let wire = await Wire()
        let _: (Void, Void) = try await wire.session.batch(Log("a"), Log("b"))
        try await wire.peer.play(
            #"""
            --> [{"jsonrpc":"2.0","method":"log","params":["a"]},{"jsonrpc":"2.0","method":"log","params":["b"]}]
            """#)
        #expect(try await wire.session.batch([Log]()).isEmpty)
        await wire.session.close()
        let outcomes = try await wire.session.batch([Log("late")])
        #expect(outcomes[0].callError?.delivery == .notSent)
    }

    // MARK: Partial results

    @Test func cancelledBatchKeepsWhatWasAnswered() async throws {
        let wire = await Wire()
        let subtract = subtract
        let task = Task { try await wire.session.results(subtract, subtract, Log("x")) }
        try await wire.peer.expectBatch(count: 3)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":2,"result":2}"#)
        try await wire.untilInFlight(1)
        task.cancel()
        let (first, second, third) = try await task.value
        #expect(first == .failure(.cancelled))
        #expect(second == .success(2))
        #expect(third.callError == nil)
        await wire.session.close()
        #expect(wire.session.callCounts.issued == wire.session.callCounts.settled)
    }

    @Test func batchOfACancelledTaskIsNotSent() async throws {
        let wire = await Wire()
        let requests = [subtract]
        let gate = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in gate.stream {}
            return try await wire.session.batch(requests)
        }
        task.cancel()
        gate.continuation.finish()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(wire.session.callCounts.issued == 0)
        await wire.session.close()
    }

    @Test func lostConnectionKeepsWhatWasAnswered() async throws {
        let wire = await Wire()
        let subtract = subtract
        async let outcomes = wire.session.batch([subtract, subtract, subtract])
        try await wire.peer.expectBatch(count: 3)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":2,"result":2}"#)
        wire.peer.drop()
        let results = try await outcomes
        #expect(results.map { $0.callError?.clientError?.code } == [.connectionLost, nil, .connectionLost])
        #expect(results[1] == .success(2))
        #expect(results[0].callError?.delivery == .outcomeUnknown)
    }

    @Test func callerThatIsNotConnectedFailsEachCall() async throws {
        let client = JSONRPCClient(connector: ScriptedPeer().connector)
        let (first, second) = try await client.results(subtract, Log("x"))
        #expect(first.callError?.clientError?.code == .notConnected)
        #expect(second.callError?.clientError?.code == .notConnected)
        await #expect(throws: ClientError.self) { try await client.batch(subtract, Log("x")) }
        await client.close()
    }

    // MARK: Outcomes as they come

    @Test func outcomesComeInTheOrderOfTheResponses() async throws {
        let wire = await Wire()
        let stream = try wire.session.outcomesAsTheyCome([subtract, subtract, subtract])
        try await wire.peer.expectBatch(count: 3)
        var iterator = stream.makeAsyncIterator()
        for (id, index) in [(3, 2), (1, 0), (2, 1)] {
            try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(id)0}"#)
            let element = try #require(await iterator.next())
            #expect(element.index == index)
            #expect(element.result == .success(id * 10))
        }
        #expect(await iterator.next() == nil)
        await wire.session.close()
    }

    @Test func eachCallHasOneOutcome() async throws {
        let wire = await Wire()
        let stream = try wire.session.outcomesAsTheyCome([subtract, subtract])
        try await wire.peer.expectBatch(count: 2)
        try wire.peer.send(
            #"[{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"m"}},{"jsonrpc":"2.0","id":2,"result":1}]"#)
        wire.peer.drop()
        var texts: [String] = []
        for await (index, result) in stream {
            texts.append("\(index) \(result.callError?.clientError?.code.description ?? "answered")")
        }
        #expect(texts == ["1 answered", "0 connectionLost"])
    }

    @Test func aBatchOfNotificationsEndsWhenTheyAreSent() async throws {
        let wire = await Wire()
        try await wire.session.batch(
            [.notification("a"), .notification("b")], timeout: .default, pace: .asTheyCome
        ) { index, outcome in Issue.record("\(index): \(outcome)") }
        try await wire.peer.expectBatch(count: 2)
        await wire.session.close()
    }
}
