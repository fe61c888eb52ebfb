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
        let message = SessionEvent.IrregularMessage(irregularities: [.emptyMessage], bytes: [], isBinary: false)
        let events: [(SessionEvent, String)] = [
            (.stateChanged(.draining), "The session is draining."),
            (.irregularMessage(message), "The peer sent an empty message: "),
            (.unhandledRequest(method: "m\n"), #"The request "m\n" has no handler."#),
            (
                .unhandledNotification(method: "n", params: try RawJSON(validating: "[1]")),
                #"The notification "n" has neither a handler nor a stream: [1]"#
            ),
            (
                .notificationDropped(method: "n"),
                #"The notification "n" was dropped: `inbound.notificationBuffer` is full, because its handler is too slow."#
            ),
            (.handlerFailed(method: "m", Broken()), #"The handler of "m" failed: broken\u{1B}"#),
            (
                .inboundCallRefused(method: "m"),
                #"The request "m" was refused: the limit `inbound.maximumCalls` or `inbound.maximumBytes` is reached."#
            ),
            (.roundTrip(.nanoseconds(80_400)), "A liveness probe was answered after 0.08 ms."),
            (.roundTrip(.nanoseconds(1_234_567_890)), "A liveness probe was answered after 1.235 s."),
            (
                .connectFailed(ClientError(.connectFailed, "No."), retryAfter: .nanoseconds(126_577_104)),
                "No. The next attempt begins in 0.127 s."
            ),
            (
                .stream(.readingResumed(method: nil, after: .nanoseconds(126_577_104))),
                "The stream of all notifications let the connection be read again after 0.127 s."
            ),
            (
                .subscription(.unknownID(method: "n\n", try #require(SubscriptionID(try RawJSON(validating: "7"))))),
                #"The notification "n\n" has the id 7 of no subscription."#
            ),
            (.missed(1), "1 event was dropped: `diagnostics.eventBuffer` is full, because the reader is too slow."),
            (.missed(3), "3 events were dropped: `diagnostics.eventBuffer` is full, because the reader is too slow."),
        ]
        for (event, text) in events { #expect("\(event)" == text) }
    }

    @Test func aGapSaysWhyValuesAreMissing() {
        let gaps: [(NotificationGap.Reason, Int?, String)] = [
            (.overflow, 1, "1 notification dropped, because more arrived than the buffer holds"),
            (.overflow, 3, "3 notifications dropped, because more arrived than the buffer holds"),
            (
                .overflow, nil,
                "notifications may be missing: an array of the peer was too long, or more arrived than the buffer holds"
            ),
            (.reconnected, nil, "notifications may be missing, because the connection was lost and made again"),
            (.repeated, nil, "the call was sent again, and its progress begins anew"),
            (
                .undecodable(InboundNotification(method: "m", params: nil), description: "no number"), 1,
                #"a notification "m" could not be decoded: no number"#
            ),
        ]
        for (reason, count, text) in gaps { #expect("\(NotificationGap(reason: reason, count: count))" == text) }
    }

    @Test func aLongNameIsCut() {
        let event = SessionEvent.unhandledRequest(method: String(repeating: "x", count: 10_000))
        #expect(event.description.count < 300)
        #expect(event.description.hasSuffix("x…\" has no handler."))
    }

    /// All of it is one character.
    @Test func aNameOfCombiningMarksIsCut() {
        let event = SessionEvent.unhandledRequest(method: "e" + String(repeating: "\u{301}", count: 10_000))
        #expect(event.description.utf8.count < 1000)
    }

    @Test func statesAreWords() {
        #expect("\(DuplexSession.State.open)" == "open")
        #expect("\(JSONRPCClient.State.connected)" == "connected")
        #expect("\(JSONRPCClient.State.reconnecting(attempt: 2))" == "reconnecting (attempt 2)")
    }
}
