// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing

@testable import jsonrpc

@Suite(.inTurn) struct NotificationTextTests {
    @Test func aNotificationIsOneLineWithAllItsMembers() throws {
        var extra = ExtraMembers()
        try extra.set("sessionId", to: RawJSON(validating: "[ 1,\n2 ]"))
        let notification = InboundNotification(
            method: "a\"b", params: try RawJSON(validating: "{ \"x\" : 1 }"), extraMembers: extra)
        #expect(
            text(NotificationText.notificationLine(notification, withVersion: true))
                == #"{"jsonrpc":"2.0","method":"a\"b","params":{"x":1},"sessionId":[1,2]}"#)
        let bare = InboundNotification(method: "m", params: nil)
        #expect(text(NotificationText.notificationLine(bare, withVersion: false)) == #"{"method":"m"}"#)
    }

    @Test func aGapSaysWhyAndHowMany() {
        let known = NotificationGap(reason: .overflow, count: 3)
        #expect(text(NotificationText.gapLine(known)) == #"{"gap":{"reason":"overflow","count":3}}"#)
        let unknown = NotificationGap(reason: .reconnected, count: nil)
        #expect(text(NotificationText.gapLine(unknown)) == #"{"gap":{"reason":"reconnected","count":null}}"#)
    }

    private func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }
}
