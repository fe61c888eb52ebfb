// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct BatchTests {
    private let entries: [BatchEntry] = [.call("a"), .notification("n"), .call("b"), .call("c")]

    private func texts(_ outcomes: [Result<RawJSON, CallError>?]) -> [String] {
        outcomes.map { outcome in
            switch outcome {
            case .success(let result): result.text
            case .failure(.answered(let error)): "error \(error.code)"
            case .failure(.failed(let error)): "\(error.code)"
            case .failure(.cancelled): "\(CancellationError())"
            case nil: "-"
            }
        }
    }

    @Test func goesOutAsOneArray() async throws {
        let wire = await Wire()
        async let outcomes = wire.session.batch(entries)
        try await wire.peer.play(
            #"""
            --> [{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"b"},{"jsonrpc":"2.0","id":3,"method":"c"}]
            <-- [{"jsonrpc":"2.0","id":3,"result":30},{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"m"}},{"jsonrpc":"2.0","id":2,"result":20}]
            """#)
        #expect(texts(try await outcomes) == ["error 5", "-", "20", "30"])
        await wire.session.close()
    }

    @Test(arguments: [
        [
            #"[{"jsonrpc":"2.0","id":2,"result":20}]"#,
            #"[{"jsonrpc":"2.0","id":1,"result":10},{"jsonrpc":"2.0","id":3,"result":30}]"#,
        ],
        [
            #"{"jsonrpc":"2.0","id":3,"result":30}"#, #"{"jsonrpc":"2.0","id":1,"result":10}"#,
            #"{"jsonrpc":"2.0","id":2,"result":20}"#,
        ],
    ])
    func answersCountInWhateverFormTheyCome(messages: [String]) async throws {
        let wire = await Wire()
        async let outcomes = wire.session.batch(entries)
        try await wire.peer.expectBatch(count: 4)
        for message in messages { try wire.peer.send(message) }
        #expect(texts(try await outcomes) == ["10", "-", "20", "30"])
        await wire.session.close()
    }

    @Test(arguments: [1, 2, 3])
    func missingMemberTimesOutAndTheOthersKeepTheirResults(missing: Int) async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        async let outcomes = wire.session.batch(entries, timeout: .seconds(5))
        try await wire.peer.expectBatch(count: 4)
        let answers = (1...3).filter { $0 != missing }.map { #"{"jsonrpc":"2.0","id":\#($0),"result":\#($0)0}"# }
        try wire.peer.send("[\(answers.joined(separator: ","))]")
        try await wire.untilInFlight(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        var expected = ["10", "-", "20", "30"]
        expected[[0, 2, 3][missing - 1]] = "timedOut"
        #expect(texts(try await outcomes) == expected)
        await wire.session.close()
    }

    @Test func extraAndMalformedMembersHarmNoOthers() async throws {
        let wire = await Wire()
        let events = wire.session.events
        async let outcomes = wire.session.batch(entries)
        try await wire.peer.expectBatch(count: 4)
        try wire.peer.send(
            #"[{"jsonrpc":"2.0","id":9,"result":90},7,{"jsonrpc":"2.0","id":1,"result":10},"#
                + #"{"jsonrpc":"2.0","id":2},{"jsonrpc":"2.0","id":3,"result":30}]"#)
        #expect(texts(try await outcomes) == ["10", "-", "protocolViolation", "30"])
        await wire.session.close()
        #expect(await events.irregularities() == [.unknownResponse, .notAMessage, .neitherResultNorError])
    }

    @Test func oneErrorForTheBatchIsThatOfEveryMember() async throws {
        let wire = await Wire()
        let events = wire.session.events
        async let single: Int = wire.session.call("single")
        let request = try await wire.peer.expectRequest("single")
        async let outcomes = wire.session.batch(entries)
        try await wire.peer.expectBatch(count: 4)
        try wire.peer.reply(to: request, result: 1)
        #expect(try await single == 1)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too many"}}"#)
        #expect(texts(try await outcomes) == ["error -32600", "-", "error -32600", "error -32600"])
        await wire.session.close()
        #expect(await events.irregularities() == [.nullResponseID, .batchAnsweredByError])
    }

    @Test func emptyBatchAndNotificationsAloneWaitForNothing() async throws {
        let wire = await Wire()
        #expect(try await wire.session.batch([]).isEmpty)
        let outcomes = try await wire.session.batch([.notification("a"), .notification("b", params: [1])])
        #expect(outcomes.count == 2)
        #expect(outcomes.allSatisfy { $0 == nil })
        try await wire.peer.play(
            #"--> [{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b","params":[1]}]"#)
        await wire.session.close()
    }

    @Test func cancelledBatchEndsAtOnce() async throws {
        let wire = await Wire(.with { $0.calls.cancellationNotice = .cancelRequest })
        let task = Task { try await wire.session.batch(entries) }
        try await wire.peer.expectBatch(count: 4)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for id in [1, 2, 3] as [JSONValue] {
            try await wire.peer.expectNotification("$/cancelRequest", params: ["id": id])
        }
        await wire.session.close()
        #expect(wire.session.callCounts.issued == wire.session.callCounts.settled)
    }

    @Test func batchWaitsForRoomForAllItsCalls() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 3 })
        async let first: Int = wire.session.call("first")
        let request = try await wire.peer.expectRequest("first")
        async let outcomes = wire.session.batch(entries)
        try await wire.untilIssued(2)
        try wire.peer.reply(to: request, result: 1)
        try await wire.peer.expectBatch(count: 4)
        try wire.peer.send(
            #"[{"jsonrpc":"2.0","id":2,"result":1},{"jsonrpc":"2.0","id":3,"result":2},{"jsonrpc":"2.0","id":4,"result":3}]"#
        )
        #expect(texts(try await outcomes) == ["1", "-", "2", "3"])
        #expect(try await first == 1)
        await wire.session.close()
        #expect(wire.session.callCounts.issued == wire.session.callCounts.settled)
    }

    @Test func batchThatCanNeverGoOutFailsAtOnce() async throws {
        let wire = await Wire(.with { $0.calls.maximumInFlight = 2 })
        #expect(
            texts(try await wire.session.batch(entries)) == ["batchTooLarge", "-", "batchTooLarge", "batchTooLarge"])
        await wire.session.close()
    }

    @Test func lossOfTheConnectionKeepsWhatWasAnswered() async throws {
        let wire = await Wire()
        async let outcomes = wire.session.batch(entries)
        try await wire.peer.expectBatch(count: 4)
        try wire.peer.send(#"{"jsonrpc":"2.0","id":2,"result":20}"#)
        wire.peer.drop()
        #expect(texts(try await outcomes) == ["connectionLost", "-", "20", "connectionLost"])
    }
}
