// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

/// The effect of an error response without an id of ours: absent, `null`, or of another type.
@Suite(.inTurn(within: .seconds(60)))
struct ErrorWithoutIDTests {
    private static let null = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#

    @Test(arguments: [
        null, #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"}}"#,
        #"{"error":{"code":-32600,"message":"Invalid Request"}}"#, "[\(null)]",
    ])
    func itAnswersTheOnlyCallInFlight(text: String) async throws {
        let wire = await Wire()
        let events = wire.session.events
        async let answer = outcome { try await wire.session.callRaw("m") }
        try await wire.peer.expectRequest("m")
        try wire.peer.send(text)
        wire.peer.close()
        #expect(await answer.failure as? ErrorObject == ErrorObject(code: -32600, message: "Invalid Request"))
        await wire.session.closed()
        let message = try #require(await events.irregularMessages().first)
        #expect(message.error?.code == -32600)
        #expect(message.irregularities.contains(.callAnsweredWithoutID))
    }

    /// Peers that are not JSON-RPC servers have their own kind of error objects.
    @Test(
        arguments: [
            (#"{"jsonrpc":"2.0","id":null,"error":"no such command"}"#, Irregularity.malformedError, nil),
            (
                #"{"jsonrpc":"2.0","id":1.5,"error":{"code":3,"message":"m"}}"#, .invalidID,
                ErrorObject(code: 3, message: "m")
            ),
            (
                #"{"jsonrpc":"2.0","id":1,"id":2,"error":{"code":3,"message":"m"}}"#, .duplicateID,
                ErrorObject(code: 3, message: "m")
            ),
        ] as [(String, Irregularity, ErrorObject?)])
    func itFailsTheOnlyCallWhereItCannotBeUsed(text: String, irregularity: Irregularity, cause: ErrorObject?)
        async throws
    {
        let wire = await Wire()
        async let answer = outcome { try await wire.session.callRaw("m") }
        try await wire.peer.expectRequest("m")
        try wire.peer.send(text)
        let error = try #require(await answer.failure as? ClientError)
        #expect(error.code == .protocolViolation)
        #expect(error.irregularity == irregularity)
        #expect(error.cause as? ErrorObject == cause)
        #expect(error.requestID == 1)
        await wire.session.close()
    }

    @Test func strictnessDecidesWhatItDoes() async throws {
        for reaction in Strictness.Reaction.allCases {
            let wire = await Wire(.with { $0.strictness[.callAnsweredWithoutID] = reaction })
            let events = wire.session.events
            async let answer = outcome { try await wire.session.callRaw("m") }
            try await wire.peer.expectRequest("m")
            try wire.peer.send(Self.null)
            let failure = await answer.failure
            if reaction < .failCall {
                #expect((failure as? ErrorObject)?.code == -32600)
            } else {
                #expect((failure as? ClientError)?.irregularity == .callAnsweredWithoutID)
            }
            if reaction == .closeConnection { try await wire.peer.expectClosure() } else { await wire.session.close() }
            let told = await events.irregularMessages().map(\.irregularities)
            let whole: IrregularitySet = [.nullResponseID, .callAnsweredWithoutID]
            #expect(told == (reaction == .ignore ? [[.nullResponseID]] : [whole]))
        }
    }

    /// Members of an array that name their calls are handled first. Only then is one call left.
    @Test func itAnswersTheCallThatItsArrayLeaves() async throws {
        let wire = await Wire()
        async let outcomes = wire.session.batch([.call("a"), .call("b")])
        try await wire.peer.expectBatch(count: 2)
        try wire.peer.send(#"[\#(Self.null),{"jsonrpc":"2.0","id":1,"result":7}]"#)
        let all = try await outcomes
        #expect(try all.first??.get().text == "7")
        #expect(all.last??.failure?.errorObject?.code == -32600)
        await wire.session.close()
    }

    @Test func aResultWithoutAnIDAnswersNothing() async throws {
        let wire = await Wire()
        async let answer: Int = wire.session.call("m")
        let request = try await wire.peer.expectRequest("m")
        try wire.peer.send(#"{"jsonrpc":"2.0","id":null,"result":1}"#)
        try wire.peer.reply(to: request, result: 7)
        #expect(try await answer == 7)
        await wire.session.close()
    }

    /// Some servers answer a PING with a PONG and an error, which does not concern the call in flight.
    @Test func theErrorThatFollowsALivenessProbeAnswersNoCall() async throws {
        let wire = await Wire()
        let events = wire.session.events
        async let answer: Int = wire.session.call("m")
        let request = try await wire.peer.expectRequest("m")
        wire.near.measureRoundTrip(.milliseconds(1))
        await wire.near.queueIsIdle()
        try wire.peer.send(Self.null)
        try wire.peer.request("probe", id: "p")
        try await wire.peer.expectResponse(to: "p")
        // The peer is now known for this: its error may arrive later.
        wire.near.measureRoundTrip(.milliseconds(1))
        await wire.near.queueIsIdle()
        try wire.peer.request("probe", id: "p")
        try await wire.peer.expectResponse(to: "p")
        try wire.peer.send(Self.null)
        try wire.peer.reply(to: request, result: 7)
        #expect(try await answer == 7)
        // One error for each probe is ignored, and no more.
        async let refused = outcome { try await wire.session.callRaw("m") }
        try await wire.peer.expectRequest("m")
        try wire.peer.send(Self.null)
        #expect((await refused.failure as? ErrorObject)?.code == -32600)
        await wire.session.close()
        let told = await events.irregularMessages().map(\.irregularities)
        #expect(told == [[.nullResponseID], [.nullResponseID], [.nullResponseID, .callAnsweredWithoutID]])
    }

    @Test func itIsNamedWhenOneOfSeveralCallsTimesOut() async throws {
        let clock = ManualClock()
        let wire = await Wire(.with { $0.clock = clock })
        async let first = outcome { try await wire.session.callRaw("first", timeout: .seconds(5)) }
        try await wire.peer.expectRequest("first")
        async let second: Int = wire.session.call("second", timeout: nil)
        let request = try await wire.peer.expectRequest("second")
        try wire.peer.send(Self.null.replacing("Invalid Request", with: "not the last"))
        try wire.peer.send(Self.null)
        try wire.peer.request("probe", id: "p")
        try await wire.peer.expectResponse(to: "p")
        // The error does not concern a call that is made after it.
        async let third = outcome { try await wire.session.callRaw("third", timeout: .seconds(5)) }
        try await wire.peer.expectRequest("third")
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        let error = try #require(await first.failure as? ClientError)
        #expect(error.code == .timedOut)
        #expect(error.message.contains("error -32600: Invalid Request"))
        let unconcerned = try #require(await third.failure as? ClientError)
        #expect(unconcerned.code == .timedOut)
        #expect(!unconcerned.message.contains("-32600"))
        try wire.peer.reply(to: request, result: 7)
        #expect(try await second == 7)
        await wire.session.close()
    }
}
