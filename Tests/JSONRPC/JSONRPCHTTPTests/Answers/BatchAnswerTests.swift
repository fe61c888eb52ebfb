// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCHTTP
import TestSupport
import TestTurns
import Testing

/// Bad answers to batches: each call has its own result, or a typed error that keeps the answer.
@Suite(.inTurn(within: .seconds(60)))
struct BatchAnswerTests {
    private static let (one, error) = (
        #"{"jsonrpc":"2.0","id":1,"result":10}"#, #"{"jsonrpc":"2.0","id":2,"error":{"code":7,"message":"m"}}"#
    )

    private func outcomes(
        _ reply: FakeServer.Reply, _ change: (inout JSONRPCHTTPOptions) -> Void = { _ in }
    ) async throws -> [Result<Int, CallError>] {
        try await JSONRPCHTTPClient.over(FakeServer(replies: [reply]), change)
            .batch([Subtract(10), Subtract(20), Subtract(30)])
    }

    @Test(arguments: [HTTPResponse.Status.ok, .accepted, .noContent])
    func anEmptyAnswerIsAMissingResponseOfEachCall(status: HTTPResponse.Status) async throws {
        let reply = FakeServer.Reply.text("", status, fields: [.server: "s"])
        for outcome in try await outcomes(reply) {
            #expect(outcome.callError?.clientError?.code == .missingResponse)
            #expect(outcome.callError?.httpAnswer?.status == status)
            #expect(outcome.callError?.httpAnswer?.headerFields[.server] == "s")
        }
        let single = JSONRPCHTTPClient.over(FakeServer(replies: [reply]))
        let failure = await JSONRPCHTTPTests.error { try await single.call(Subtract(1)) } as? ClientError
        #expect(failure?.code == .missingResponse)
        #expect(failure?.httpAnswer?.status == status)
    }

    @Test(arguments: [400, 429, 500, 503]) func responsesInAnotherStatusBelongToTheirCalls(code: Int) async throws {
        let reply = FakeServer.Reply.text(
            "[\(Self.error),\(Self.one)]", HTTPResponse.Status(code: code),
            fields: [.contentType: "application/json", .retryAfter: "3"])
        let outcomes = try await outcomes(reply)
        #expect(outcomes[0] == .success(10))
        #expect(outcomes[1].callError?.errorObject?.code == 7)
        #expect(outcomes[2].callError?.clientError?.code == .missingResponse)
        for outcome in outcomes[1...] {
            #expect(outcome.callError?.httpAnswer?.status.code == code)
            #expect(outcome.callError?.httpAnswer?.retryAfter == .seconds(3))
        }
    }

    @Test(arguments: [(200, "text/html"), (502, "text/html"), (404, "text/plain")])
    func aPageInsteadOfAnAnswerIsTheErrorOfEachCall(code: Int, type: String) async throws {
        let page = "<html><body>Bad Gateway</body></html>"
        let reply = FakeServer.Reply.text(page, HTTPResponse.Status(code: code), fields: [.contentType: type])
        for outcome in try await outcomes(reply) {
            let failure = outcome.callError?.clientError
            #expect(failure?.code == .transportFailed)
            #expect(failure?.delivery == (code == 502 ? .outcomeUnknown : .answered))
            #expect(failure?.httpAnswer?.status.code == code)
            #expect(failure?.httpAnswer?.bodyBeginning == Array(page.utf8))
            switch failure?.cause as? JSONRPCHTTPError {
            case .status?: #expect(code != 200)
            case .contentType?: #expect(code == 200)
            default: Issue.record("The cause is \(String(describing: failure?.cause)).")
            }
        }
    }

    /// A member with a response has its result, independent of the following bytes.
    @Test(arguments: ["[\(one),", "[\(one)", "[\(one)]]", "[\(one),]", "[\(one) \(one)]", "[\(one)],"])
    func anArrayThatIsCutIsTheErrorOfTheCallsWithoutAResponse(body: String) async throws {
        let outcomes = try await outcomes(.text(body))
        #expect(outcomes[0] == .success(10))
        for outcome in outcomes[1...] {
            #expect(outcome.callError?.clientError?.irregularity == .malformedJSON)
            #expect(outcome.callError?.delivery == .outcomeUnknown)
            #expect(outcome.callError?.clientError?.received == Array(body.utf8))
            #expect(outcome.callError?.httpAnswer?.status == .ok)
            #expect(outcome.callError?.httpAnswer?.bodyBeginning == Array(body.utf8))
        }
    }

    @Test func anAnswerBeyondTheLimitIsTheErrorOfTheCallsWithoutAResponse() async throws {
        let reply = FakeServer.Reply.text("[\(Self.one),\(String(repeating: " ", count: 5000))]")
        let outcomes = try await outcomes(reply) { $0.maximumAnswerBytes = 2000 }
        #expect(outcomes[0] == .success(10))
        for outcome in outcomes[1...] {
            guard case .answerTooLarge(let answer, 2000)? = outcome.callError?.clientError?.cause as? JSONRPCHTTPError
            else {
                Issue.record("The outcome is \(outcome).")
                continue
            }
            #expect(answer.bodyBeginning.starts(with: "[\(Self.one)".utf8))
            #expect(outcome.callError?.delivery == .outcomeUnknown)
        }
    }

    @Test func anAnswerThatIsInterruptedIsTheErrorOfTheCallsWithoutAResponse() async throws {
        var reply = FakeServer.Reply.text("[\(Self.one),")
        reply.ending = HTTPTransportError(.connectionLost, "Reset by peer.")
        let outcomes = try await outcomes(reply)
        #expect(outcomes[0] == .success(10))
        for outcome in outcomes[1...] {
            #expect(outcome.callError?.clientError?.code == .connectionLost)
            #expect(outcome.callError?.delivery == .outcomeUnknown)
            #expect(outcome.callError?.httpAnswer?.bodyBeginning == Array("[\(Self.one),".utf8))
        }
    }

    /// The responses in the answer to a failed POST belong to their calls, too.
    @Test func aStatusIsTheErrorOfTheCallsWithoutAResponseInABrokenArray() async throws {
        let outcomes = try await outcomes(.text("[\(Self.one),", .badGateway))
        #expect(outcomes[0] == .success(10))
        for outcome in outcomes[1...] {
            guard case .status? = outcome.callError?.clientError?.cause as? JSONRPCHTTPError else {
                Issue.record("The outcome is \(outcome).")
                continue
            }
            #expect(outcome.callError?.delivery == .outcomeUnknown)
        }
    }

    /// A server cannot make calls over HTTP.
    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, #"{"jsonrpc":"2.0","method":"tick","params":[1]}"#,
    ])
    func callsOfTheServerAreViolations(message: String) async throws {
        let reported = EventLog<Irregularity>()
        let outcomes = try await outcomes(.text("[\(message),\(Self.one)]")) {
            $0.observe = { if case .irregular(let irregularity, _, _) = $0 { reported.record(irregularity) } }
        }
        #expect(outcomes[0] == .success(10))
        #expect(outcomes[1...].allSatisfy { $0.callError?.clientError?.code == .missingResponse })
        #expect(reported.elements == [.notAMessage])
        let rpc = JSONRPCHTTPClient.over(FakeServer(replies: [.text(message)]))
        let failure = await JSONRPCHTTPTests.error { try await rpc.call(Subtract(1)) } as? ClientError
        #expect(failure?.code == .protocolViolation)
        #expect(failure?.irregularity == .notAMessage)
        #expect(failure?.httpAnswer?.bodyBeginning == Array(message.utf8))
    }

    @Test func malformedMembersFailTheirCallsAlone() async throws {
        let body = """
            [{"jsonrpc":"2.0","id":1,"result":10,"error":{"code":1,"message":"m"}},{"jsonrpc":"2.0","id":2},
             {"jsonrpc":"2.0","id":3,"result":30}]
            """
        let outcomes = try await outcomes(.text(body))
        #expect(outcomes[2] == .success(30))
        for outcome in outcomes[..<2] {
            #expect(outcome.callError?.clientError?.code == .protocolViolation)
            #expect(outcome.callError?.clientError?.irregularity != nil)
            #expect(outcome.callError?.httpAnswer?.status == .ok)
        }
    }
}
