// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn(within: .seconds(60)))
struct BadInputTests {
    /// Two calls are in flight when the bad input arrives. The row has the outcome of the first. The second must not be
    /// affected, and nothing may remain.
    @Test(arguments: BadInputRow.all, CallWay.allCases)
    func concernsOneCallAtTheMost(row: BadInputRow, way: CallWay) async throws {
        let peer = ScriptedPeer()
        let session = DuplexSession()
        let events = session.events
        session.handle("peer") { "served" }
        try await peer.connector.connect(receiver: session.receiver)
        let calls = TwoCalls(way, over: session)
        async let first = calls.outcome(0)
        let firstRequest = try await peer.expectRequest("first")
        async let second = calls.outcome(1)
        let secondRequest = try await peer.expectRequest("second")

        for message in row.messages {
            switch message {
            case .text(let text): try peer.send(text)
            case .binary(let text): try peer.send(Array(text.utf8), isBinary: true)
            case .fragments(let text): try peer.send(Array(text.utf8), isBinary: false, inFragments: true)
            }
        }
        for reply in row.replies {
            let message = try await peer.expectMessage()
            #expect(message.json == (try JSONValue(parsing: reply)))
        }
        try peer.reply(to: secondRequest, result: "unharmed")
        #expect(try await second.get().text == #""unharmed""#)

        if case .waits = row.fate {
            #expect(session.callsInFlight == 1)
            try peer.reply(to: firstRequest, result: "in the end")
            #expect(try await first.get().text == #""in the end""#)
        } else {
            check(await first, row.fate)
        }

        #expect(session.state == .open)
        await session.close()
        #expect(session.callCounts.issued == 2)
        #expect(session.callCounts.settled == 2)
        #expect(session.callsInFlight == 0)
        let told = await events.irregularMessages()
        #expect(told.flatMap(\.irregularities.elements) == row.reported)
        try await peer.expectClosure()
        try peer.expectNothingMore()
    }

    private func check(_ outcome: Result<RawJSON, any Error>, _ fate: BadInputFate) {
        switch (outcome, fate) {
        case (.success(let result), .result(let text)): #expect(result.text == text)
        case (.failure(let error as ErrorObject), .error(let code)): #expect(error.code.rawValue == code)
        case (.failure(let error as ClientError), .violation(let irregularity)):
            #expect(error.code == .protocolViolation)
            #expect(error.irregularity == irregularity)
            #expect(error.delivery == .answered)
            #expect(error.requestID == 1)
            #expect(error.method == "first")
        default: Issue.record("expected \(fate), got \(outcome)")
        }
    }

    @Test func eventsCarryTheBytesAsTheyCame() async throws {
        let peer = ScriptedPeer()
        let session = DuplexSession()
        let events = session.events
        try await peer.connector.connect(receiver: session.receiver)
        try peer.send([0x7B, 0x20, 0x78], isBinary: true)
        await session.close()
        let told = try #require(await events.irregularMessages().first)
        #expect(told.bytes == [0x7B, 0x20, 0x78])
        #expect(told.isBinary)
        #expect(told.syntaxError?.offset == 2)
    }

    @Test func strictSessionClosesWithAProtocolError() async throws {
        let peer = ScriptedPeer()
        var configuration = SessionConfiguration()
        configuration.strictness = .strict
        let session = DuplexSession(configuration: configuration)
        try await peer.connector.connect(receiver: session.receiver)
        try peer.send(#"{"jsonrpc":"2.0","id":5,"result":1}"#)
        let closure = try await peer.expectClosure()
        #expect(closure.code == 1002)
        #expect(closure.reason == "Received a response whose id belongs to no known request.")
        await session.closed()
        #expect(session.closure?.initiator == .local)
    }

    @Test func serverAnswersWhatItCannotRead() async throws {
        let peer = ScriptedPeer()
        var configuration = SessionConfiguration()
        configuration.answersUnreadableMessages = true
        let session = DuplexSession(configuration: configuration)
        session.handle("peer") { "served" }
        try await peer.connector.connect(receiver: session.receiver)
        try await peer.play(
            #"""
            <-- {"jsonrpc":"2.0","method":"foobar,"params":"bar","baz]
            --> {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}
            <-- []
            --> {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}
            <-- {"foo":"boo"}
            --> {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}
            <-- [1,{"jsonrpc":"2.0","id":1,"method":"peer"}]
            --> [{"jsonrpc":"2.0","id":1,"result":"served"},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}]
            """#)
        await session.close()
    }

    @Test func stringForANumberIDCanBeTaken() async throws {
        let peer = ScriptedPeer()
        var configuration = SessionConfiguration()
        configuration.strictness[.stringForNumberID] = .ignore
        let session = DuplexSession(configuration: configuration)
        try await peer.connector.connect(receiver: session.receiver)
        async let answer: Int = session.call("m")
        try await peer.expectRequest("m")
        try peer.send(#"{"jsonrpc":"2.0","id":"1","result":7}"#)
        #expect(try await answer == 7)
        await session.close()
    }
}
