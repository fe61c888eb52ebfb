// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct MessageReaderCallsTests {
    @Test(
        arguments: [
            (#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#, .request),
            (#"{"id":null,"method":"m"}"#, .request),
            (#"{"id":1,"method":5}"#, .request),
            (#"{"method":"m"}"#, .notification),
            (#"{"method":5}"#, .notification),
            (#"{"id":1,"result":1}"#, .response),
            (#"{"error":{}}"#, .response),
            (#"{"id":1,"method":"m","result":1}"#, .response),
            (#"{"id":1}"#, .response),
            (#"{"jsonrpc":"2.0"}"#, .unknown),
            (#"{}"#, .unknown),
            ("5", .unknown),
        ] as [(String, MessageReader.Kind)])
    func kindFollowsFromTheMembers(text: String, kind: MessageReader.Kind) throws {
        #expect(MessageReader.standard.kind(of: try scan(Array(text.utf8))) == kind)
    }

    @Test func requestIsRead() throws {
        let text = #"{"jsonrpc":"2.0","method":"a\/b","params":{"x": 1},"id":7}"#
        let call = try MessageReader.standard.call(text)
        #expect(call.method == "a/b")
        #expect(call.id == 7)
        #expect(call.echo?.text == "7")
        #expect(call.params.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) } == #"{"x": 1}"#)
        #expect(call.violation == nil)
        #expect(call.reported.isEmpty)
    }

    @Test func notificationHasNothingToEcho() throws {
        let call = try MessageReader.standard.call(#"{"jsonrpc":"2.0","method":"m"}"#)
        #expect(call.echo == nil && call.id == nil && call.params == nil)
        #expect(call.violation == nil)
    }

    @Test(
        arguments: [
            ("1", 1), (#""1""#, "1"), (#""\u0041\n""#, "A\n"), (#""""#, ""), (#""\ud800""#, nil), ("1.0", nil),
            ("1e2", nil),
            ("18446744073709551616", nil), ("-9223372036854775808", .number(.min)), ("null", nil),
        ] as [(String, RequestID?)])
    func idIsEchoedByteForByte(id: String, value: RequestID?) throws {
        let call = try MessageReader.standard.call(#"{"jsonrpc":"2.0","method":"m","id":"# + id + "}")
        #expect(call.echo?.text == id)
        #expect(call.id == value)
        #expect(call.violation == nil)
    }

    @Test(arguments: ["true", "[1]", "{}"])
    func idOfAnotherTypeIsRefusedWithNull(id: String) throws {
        for strictness in [Strictness(everything: .ignore), .standard] {
            let reader = MessageReader(strictness: strictness, version: .required)
            let call = try reader.call(#"{"jsonrpc":"2.0","method":"m","id":"# + id + "}")
            #expect(call.violation == .invalidID)
            #expect(call.echo == .json(.null))
        }
    }

    @Test func requestWithTwoIDsIsRefusedWithNull() throws {
        let call = try MessageReader.standard.call(#"{"jsonrpc":"2.0","method":"m","id":1,"id":2}"#)
        #expect(call.violation == .duplicateID)
        #expect(call.echo == .json(.null))
    }

    @Test func methodThatIsNoStringIsRefused() throws {
        let request = try MessageReader.standard.call(#"{"jsonrpc":"2.0","method":1,"params":"bar","id":3}"#)
        #expect(request.violation == .invalidMethod)
        #expect(request.echo == .number(3))
        let nameless = try MessageReader.standard.call(#"{"jsonrpc":"2.0","method":1,"params":[]}"#)
        #expect(nameless.violation == .invalidMethod)
        #expect(nameless.echo == .json(.null))
    }

    @Test func unstructuredParamsAreRefusedOrHandedOver() throws {
        let request = try MessageReader.standard.call(#"{"jsonrpc":"2.0","method":"m","params":"bar","id":3}"#)
        #expect(request.violation == .unstructuredParams)
        #expect(request.echo == .number(3))
        let notification = #"{"jsonrpc":"2.0","method":"m","params":5}"#
        let refused = try MessageReader.standard.call(notification)
        #expect(refused.violation == .unstructuredParams)
        #expect(refused.echo == nil)
        let tolerated = try MessageReader.tolerant.call(notification)
        #expect(tolerated.violation == nil)
        #expect(tolerated.params != nil)
        #expect(tolerated.reported == [.unstructuredParams])
    }

    @Test func nullParamsAreNone() throws {
        let call = try MessageReader.standard.call(#"{"jsonrpc":"2.0","method":"m","params":null,"id":1}"#)
        #expect(call.params == nil)
        #expect(call.violation == nil)
        #expect(call.reported.isEmpty)
    }

    @Test func missingVersionIsReportedOrRefused() throws {
        let text = #"{"method":"m","id":1}"#
        #expect(try MessageReader.standard.call(text).reported == [.missingVersion])
        let strict = try MessageReader(strictness: .strict, version: .required).call(text)
        #expect(strict.violation == .missingVersion)
        #expect(strict.echo == .number(1))
    }
}
