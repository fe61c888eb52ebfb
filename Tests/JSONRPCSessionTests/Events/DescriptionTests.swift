// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

@Suite(.inTurn) struct DescriptionTests {
    private struct Broken: Error, CustomStringConvertible {
        var description: String { "broken\u{1B}" }
    }

    @Test func eventsSayWhatHappenedOnOneLine() throws {
        let message = IrregularMessage(irregularities: [.emptyMessage], bytes: [], isBinary: false)
        let events: [(SessionEvent, String)] = [
            (.stateChanged(.draining), "The session is draining."),
            (.irregularMessage(message), "The peer sent an empty message: "),
            (.unhandledRequest(method: "m\n"), #"No handler serves the request "m\n"."#),
            (
                .unhandledNotification(method: "n", params: try RawJSON(validating: "[1]")),
                #"Neither a handler nor a stream takes the notification "n": [1]"#
            ),
            (.notificationDropped(method: "n"), #"The notification "n" was dropped: its handler is behind."#),
            (.handlerFailed(method: "m", Broken()), #"The handler of "m" failed: broken\u{1B}"#),
            (
                .inboundCallRefused(method: "m"),
                #"The request "m" was refused: too many calls are being served."#
            ),
            (.roundTrip(.milliseconds(2)), "A liveness probe was answered after \(Duration.milliseconds(2))."),
            (.missed(3), "3 events are missing: their reader was behind."),
        ]
        for (event, text) in events { #expect("\(event)" == text) }
    }

    @Test func aLongNameIsCut() {
        let event = SessionEvent.unhandledRequest(method: String(repeating: "x", count: 10_000))
        #expect(event.description.count < 300)
        #expect(event.description.hasSuffix("x…\"."))
    }

    @Test func statesAreWords() {
        #expect("\(SessionState.open)" == "open")
        #expect("\(ClientState.connected)" == "connected")
        #expect("\(ClientState.reconnecting(attempt: 2))" == "reconnecting (attempt 2)")
    }
}
