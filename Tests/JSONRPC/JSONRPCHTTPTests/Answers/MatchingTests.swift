// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import TestSupport
import TestTurns
import Testing
import WireJSON

/// Answers to a batch of the calls 1, 2 and 3, whose results are 10, 20 and 30.
@Suite(.inTurn(within: .seconds(60)))
struct MatchingTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var answer: String
        /// The results; `nil` for a missing response, a number below zero for the code of an error.
        var outcomes: [Int?]
        /// The irregularities that are reported.
        var reported: [Irregularity] = []
    }

    private static func result(_ id: String, _ value: Int) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":\#(value)}"#
    }

    private static let (one, two, three) = (result("1", 10), result("2", 20), result("3", 30))
    private static let nameless = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid"}}"#

    static let cases = [
        Case(testDescription: "in order", answer: "[\(one),\(two),\(three)]", outcomes: [10, 20, 30]),
        Case(testDescription: "shuffled", answer: "[\(three),\(one),\(two)]", outcomes: [10, 20, 30]),
        Case(testDescription: "the first is missing", answer: "[\(two),\(three)]", outcomes: [nil, 20, 30]),
        Case(testDescription: "the middle is missing", answer: "[\(one),\(three)]", outcomes: [10, nil, 30]),
        Case(testDescription: "the last is missing", answer: "[\(one),\(two)]", outcomes: [10, 20, nil]),
        Case(
            testDescription: "a second response to one call, and one is missing",
            answer: "[\(two),\(result("2", 99)),\(three)]", outcomes: [nil, 20, 30], reported: [.duplicateResponse]),
        Case(
            testDescription: "a second response to one call, whose id is a string",
            answer: "[\(one),\(result(#""1""#, 99)),\(two),\(three)]", outcomes: [10, 20, 30],
            reported: [.duplicateResponse]),
        Case(
            testDescription: "an unknown id in place of a known one", answer: "[\(one),\(result("77", 99)),\(three)]",
            outcomes: [10, nil, 30], reported: [.unknownResponse]),
        Case(
            testDescription: "null entries", answer: "[null,\(three),null,\(two),\(one)]", outcomes: [10, 20, 30],
            reported: [.notAMessage]),
        Case(
            testDescription: "an error without an id answers the only call without a response",
            answer: "[\(one),\(nameless),\(three)]", outcomes: [10, -32600, 30], reported: [.nullResponseID]),
        Case(
            testDescription: "an error without an id answers all calls without a response",
            answer: "[\(two),\(nameless)]", outcomes: [-32600, 20, -32600], reported: [.nullResponseID]),
        Case(
            testDescription: "one error object for the batch", answer: nameless, outcomes: [-32600, -32600, -32600],
            reported: [.nullResponseID]),
        Case(testDescription: "one response object for the batch", answer: two, outcomes: [nil, 20, nil]),
        Case(testDescription: "an empty body", answer: "", outcomes: [nil, nil, nil]),
        Case(testDescription: "white space", answer: " \r\n", outcomes: [nil, nil, nil]),
        Case(
            testDescription: "a string in place of a number is another id",
            answer: "[\(one),\(result(#""x2""#, 20)),\(three)]", outcomes: [10, nil, 30],
            reported: [.unknownResponse]),
    ]

    @Test(arguments: cases, [true, false])
    func eachCallHasItsOwnOutcome(_ test: Case, arrivesInPieces: Bool) async throws {
        let events = EventLog<Irregularity>()
        var reply = FakeServer.Reply.text(test.answer)
        if arrivesInPieces { reply.pieces = test.answer.utf8.map { [$0] } }
        let rpc = JSONRPCHTTPClient.over(FakeServer(replies: [reply])) {
            $0.observe = { if case .irregular(let irregularity, _, _) = $0 { events.record(irregularity) } }
        }
        let outcomes = try await rpc.batch([Subtract(10), Subtract(20), Subtract(30)])
        for (outcome, expected) in zip(outcomes, test.outcomes) {
            switch outcome {
            case .success(let value): #expect(value == expected)
            case .failure(.answered(let error)):
                #expect(error.code.rawValue == expected)
                #expect(error.httpAnswer?.status == .ok)
            case .failure(let error):
                #expect(expected == nil)
                #expect(error.clientError?.code == .missingResponse)
                #expect(error.httpAnswer?.status == .ok)
            }
        }
        #expect(events.elements == test.reported)
    }

    @Test func anEmptyArrayIsAViolationForEachCall() async throws {
        let rpc = JSONRPCHTTPClient.over(FakeServer(replies: [.text("[]")]))
        for outcome in try await rpc.batch([Subtract(10), Subtract(20)]) {
            #expect(outcome.callError?.clientError?.irregularity == .emptyBatch)
            #expect(outcome.callError?.httpAnswer?.status == .ok)
        }
    }

    @Test func anArrayInReplyToAnObjectIsUnwrapped() async throws {
        let rpc = JSONRPCHTTPClient.over(
            FakeServer { .text("[\(FakeServer.Reply.response($0.ids[0], #""result":5"#))]") })
        #expect(try await rpc.call(Subtract(5)) == 5)
    }

    @Test func idsOfTheOtherTypeAreAnOption() async throws {
        let server = FakeServer { arrival in
            .text("[\(arrival.ids.map { Self.result(#""\#($0)""#, 7) }.joined(separator: ","))]")
        }
        let exact = try await JSONRPCHTTPClient.over(server).batch([Subtract(7), Subtract(7)])
        #expect(exact.map { $0.callError?.clientError?.irregularity } == [.stringForNumberID, .stringForNumberID])
        let lenient = JSONRPCHTTPClient.over(
            server, configuration: .with { $0.strictness[.stringForNumberID] = .report })
        #expect(try await lenient.batch([Subtract(7), Subtract(7)]) == [.success(7), .success(7)])
    }

    @Test func oneBadResultAmongAHundredFailsItsCallAlone() async throws {
        let server = FakeServer { arrival in
            .each(arrival) { call in
                let value = call["params"]?[0]?.intValue ?? 0
                return value == 41 ? #""result":"not a number""# : #""result":\#(value)"#
            }
        }
        let outcomes = try await JSONRPCHTTPClient.over(server).batch((0..<100).map { Subtract($0) })
        for (index, outcome) in outcomes.enumerated() where index != 41 { #expect(outcome == .success(index)) }
        let failure = try #require(outcomes[41].callError?.clientError)
        #expect(failure.code == .decodingFailed)
        #expect(failure.received == Array(#""not a number""#.utf8))
        #expect(server.arrivals.elements.count == 1)
    }

    @Test func notificationsOfAMixedBatchHaveNoOutcome() async throws {
        let server = FakeServer { .each($0) { _ in #""result":1"# } }
        let outcomes = try await JSONRPCHTTPClient.over(server).batch([
            .notification("a"), .call("b"), .notification("c"), .call("d"),
        ])
        #expect(outcomes.map { $0 == nil } == [true, false, true, false])
        #expect(server.arrivals.elements.map(\.methods) == [["a", "b", "c", "d"]])
    }

    @Test func aNotificationIsReportedIfThePostFails() async throws {
        let server = FakeServer { _ in throw HTTPTransportError(.cannotConnect, "Refused.", isRequestUnsent: true) }
        let (call, notification) = try await JSONRPCHTTPClient.over(server).results(Subtract(1), Log("x"))
        #expect(call.callError?.delivery == .notSent)
        #expect(notification.callError?.delivery == .notSent)
    }
}
