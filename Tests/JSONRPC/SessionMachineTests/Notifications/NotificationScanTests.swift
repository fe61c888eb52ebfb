// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

@Suite(.inTurn) struct NotificationScanTests {
    private static let members = NotificationForm.members(token: "token", payload: "value")

    private func notification(_ params: String) throws -> InboundNotification {
        InboundNotification(method: "n", params: try RawJSON(validating: params))
    }

    private func message(_ id: String, _ payload: String, _ kind: SubscriptionStyle.Message.Kind) throws
        -> SubscriptionStyle.Message
    {
        SubscriptionStyle.Message(
            id: try #require(SubscriptionID(try RawJSON(validating: id))), payload: try RawJSON(validating: payload),
            kind: kind)
    }

    @Test(arguments: [
        (#"{"subscription":1,"result":2}"#, SubscriptionStyle.Message.Kind.value),
        (#"{"x":{"subscription":3},"error":2,"\u0073ubscription":1}"#, SubscriptionStyle.Message.Kind.error),
        (
            #"{"subscription":"a","subscription":1,"result":0,"result":2,"error":3}"#,
            SubscriptionStyle.Message.Kind.value
        ),
    ])
    func ethereumsFormIsReadAloneAndAfterOtherForms(_ params: String, _ kind: SubscriptionStyle.Message.Kind) throws {
        let expected = try message("1", "2", kind)
        let notification = try self.notification(params)
        var alone = NotificationScan()
        #expect(alone.message(.params, in: notification) == expected)
        var after = NotificationScan()
        #expect(after.message(Self.members, in: notification) == nil)
        #expect(after.message(.params, in: notification) == expected)
    }

    @Test(arguments: [
        "[]", "{}", #"{"subscription":1}"#, #"{"result":1}"#, #"{"subscription":null,"result":1}"#,
        #"{"subscription":1.5,"error":1}"#,
    ])
    func paramsWithoutAnIDOrAPayloadDoNotHaveEthereumsForm(_ params: String) throws {
        let notification = try self.notification(params)
        var alone = NotificationScan()
        #expect(alone.message(.params, in: notification) == nil)
        var after = NotificationScan()
        #expect(after.message(Self.members, in: notification) == nil)
        #expect(after.message(.params, in: notification) == nil)
    }

    @Test func severalFormsAreReadFromOneNotification() throws {
        let params = #"{"token":"a","value":1,"t":"b","subscription":"c","result":2}"#
        let expected = try [
            message("\"a\"", "1", .value), message("\"b\"", params, .value), message("\"c\"", "2", .value),
        ]
        let notification = try self.notification(params)
        var scan = NotificationScan()
        #expect(scan.message(Self.members, in: notification) == expected[0])
        #expect(scan.message(.members(token: "t", payload: nil), in: notification) == expected[1])
        #expect(scan.message(.params, in: notification) == expected[2])
        #expect(scan.message(.members(token: "u", payload: nil), in: notification) == nil)
    }
}
