// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

/// Text messages that are not UTF-8 (RFC 6455 §8.1).
@Suite(.inTurn(within: .seconds(60)))
struct InvalidTextTests {
    private static let invalid = Array(#"{"jsonrpc":"2.0","method":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)

    @Test func textThatIsNotUTF8IsAnEventAndTheSessionGoesOn() async throws {
        let wire = await Wire()
        let events = wire.session.events
        async let answer: Int = wire.session.call("m")
        let request = try await wire.peer.expectRequest("m")
        try wire.peer.send(Self.invalid, isBinary: false)
        try wire.peer.reply(to: request, result: 7)
        #expect(try await answer == 7)
        async let next: Int = wire.session.call("next")
        try wire.peer.reply(to: try await wire.peer.expectRequest("next"), result: 8)
        #expect(try await next == 8)
        await wire.session.close()
        #expect(wire.session.closure?.code == 1000)
        let message = try #require(await events.irregularMessages().first)
        #expect(message.bytes == Self.invalid)
        #expect(message.irregularities == [.invalidUTF8])
        #expect(message.syntaxError?.reason == .invalidUTF8)
        #expect(message.syntaxError?.offset == 27)
    }

    @Test func theCallThatItNamesFailsForThatReason() async throws {
        let wire = await Wire()
        async let answer = outcome { try await wire.session.callRaw("m") }
        try await wire.peer.expectRequest("m")
        let bytes = Array(#"{"jsonrpc":"2.0","id":1,"result":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        try wire.peer.send(bytes, isBinary: false)
        let error = try #require(await answer.failure as? ClientError)
        #expect(error.code == .protocolViolation)
        #expect(error.irregularity == .invalidUTF8)
        #expect(error.message == "The peer sent a message that is not UTF-8.")
        #expect((error.cause as? JSONSyntaxError)?.reason == .invalidUTF8)
        await wire.session.close()
    }

    /// RFC 6455 §7.4.1: 1007 is for text that is not UTF-8. A binary message may hold any bytes, but then is not JSON.
    @Test(arguments: [(false, 1007), (true, 1002)] as [(Bool, UInt16)])
    func strictSessionClosesAndSaysWhy(isBinary: Bool, code: UInt16) async throws {
        let wire = await Wire(.with { $0.strictness = .strict })
        async let answer = outcome { try await wire.session.callRaw("m") }
        try await wire.peer.expectRequest("m")
        try wire.peer.send(Self.invalid, isBinary: isBinary)
        let closure = try await wire.peer.expectClosure()
        #expect(closure.code == code)
        #expect(closure.reason == "Received a message that is not UTF-8.")
        let error = try #require(await answer.failure as? ClientError)
        #expect(error.code == .connectionLost)
        #expect(error.closeCode == code)
        #expect(error.delivery == .outcomeUnknown)
        let cause = try #require(error.cause as? ClientError)
        #expect(cause.code == .protocolViolation)
        #expect(cause.irregularity == .invalidUTF8)
        await wire.session.closed()
        #expect(wire.session.callCounts.issued == wire.session.callCounts.settled)
    }
}
