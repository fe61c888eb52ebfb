// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60)))
struct IrregularityReportTests {
    @Test func aPeerThatAlwaysSendsBinaryIsReportedOnce() async throws {
        let wire = await Wire()
        let events = wire.session.events
        for number in 0..<20 {
            try wire.peer.send(Array(#"{"jsonrpc":"2.0","method":"n\#(number)"}"#.utf8), isBinary: true)
        }
        // Another irregularity in such a message is reported with it.
        try wire.peer.send(Array(#"{"jsonrpc":"2.0","id":99,"result":1}"#.utf8), isBinary: true)
        try await wire.roundTrip()
        let counts = wire.session.irregularityCounts
        await wire.session.close()
        let told = await events.irregularMessages()
        #expect(told.count == 2)
        #expect(told.first?.irregularities == [.binaryMessage])
        #expect(told.last?.irregularities.contains(.unknownResponse) == true)
        #expect(counts[.binaryMessage] ?? 0 >= 20)
        #expect(counts[.unknownResponse] == 1)
    }

    @Test func aHabitThatFailsCallsIsReportedEachTime() async throws {
        let wire = await Wire(.with { $0.strictness[.missingVersion] = .failCall })
        let events = wire.session.events
        for id in 1...3 { try wire.peer.send(#"{"id":\#(id),"method":"m"}"#) }
        for id in 1...3 { try await wire.peer.expectResponse(to: .number(JSONNumber(Int64(id)))) }
        await wire.session.close()
        #expect(await events.irregularities() == [.missingVersion, .missingVersion, .missingVersion])
    }

    @Test func aReaderThatComesLaterHearsOfAHabitToo() async throws {
        let wire = await Wire()
        func send(_ id: JSONValue) async throws {
            try wire.peer.send(#"{"id":\#(id),"method":"m"}"#)
            try await wire.peer.expectResponse(to: id)
        }
        try await send(1)
        let events = wire.session.events
        try await send(2)
        try await send(3)
        await wire.session.close()
        #expect(await events.irregularities() == [.missingVersion])
    }

    @Test func theVersionFoundIsKept() async throws {
        let wire = await Wire()
        let events = wire.session.events
        try wire.peer.send(#"[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"1.0","method":"n"}]"#)
        try await wire.roundTrip()
        await wire.session.close()
        let told = try #require(await events.irregularMessages().first)
        #expect(told.irregularities.contains(.wrongVersion))
        #expect(told.version?.text == #""1.0""#)
        #expect(told.description.contains(#"but "1.0""#))
    }

    @Test(arguments: [
        (#"{"id":1}"#, nil), (#"{"jsonrpc":2}"#, "2"), (#"[{"jsonrpc":"2.0"}]"#, #""2.0""#), ("[]", nil), ("x", nil),
    ]) func aVersionIsReadOfAnyMessage(text: String, version: String?) {
        let message = SessionEvent.IrregularMessage(irregularities: [], bytes: Array(text.utf8), isBinary: false)
        #expect(message.version?.text == version)
    }

    /// The Language Server Protocol requires a response to a cancelled request.
    @Test func aLateResponseThatTheProtocolDemandsIsCountedOnly() async throws {
        let wire = await Wire(.with { $0.calls.cancellationNotice = .cancelRequest })
        let events = wire.session.events
        let task = Task { try await wire.session.callRaw("m") }
        let request = try await wire.peer.expectRequest("m")
        task.cancel()
        try await wire.peer.expectNotification("$/cancelRequest")
        try wire.peer.reply(to: request, error: ErrorObject(code: -32800, message: "cancelled"))
        try await wire.roundTrip()
        #expect(wire.session.irregularityCounts == [.lateResponse: 1])
        try wire.peer.reply(to: request, result: 1)
        try await wire.roundTrip()
        await wire.session.close()
        #expect(await events.irregularities() == [.duplicateResponse])
    }
}
