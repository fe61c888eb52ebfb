// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCTesting
import JSONRPCWebSocket
import SessionTestSupport
import TestSupport
import TestTurns
import Testing

/// Bad input over WebSocket, for single calls and for many calls with one consumer. The rows are those of the in-memory
/// tests whose messages are text in one frame.
@Suite("Bad input over WebSocket", .inTurn(within: .seconds(60)))
struct BadInputTests {
    private static let rows = BadInputRow.all.filter { row in
        row.messages.allSatisfy { if case .text = $0 { true } else { false } }
    }

    @Test(arguments: rows, CallWay.allCases)
    func concernsOneCallAtTheMost(row: BadInputRow, way: CallWay) async throws {
        let peer = ScriptedPeer()
        let listener = try await WebSocketListener.listen { _ in peer.receiver }
        let session = DuplexSession()
        session.handle("peer") { "served" }
        try await WebSocketConnector.patient(to: listener.url).connect(receiver: session.receiver)
        let calls = TwoCalls(way, over: session)
        async let first = calls.outcome(0)
        let firstRequest = try await peer.expectRequest("first")
        async let second = calls.outcome(1)
        let secondRequest = try await peer.expectRequest("second")
        for case .text(let text) in row.messages { try peer.send(text) }
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
            let outcome = await first
            switch (outcome, row.fate) {
            case (.success(let result), .result(let text)): #expect(result.text == text)
            case (.failure(let error as ErrorObject), .error(let code)): #expect(error.code.rawValue == code)
            case (.failure(let error as ClientError), .violation(let irregularity)):
                #expect(error.irregularity == irregularity && error.requestID == 1 && error.method == "first")
            default: Issue.record("expected \(row.fate), got \(outcome)")
            }
        }
        #expect(session.state == .open)
        await session.close()
        #expect(session.callCounts == (2, 2))
        await listener.stop()
    }
}
