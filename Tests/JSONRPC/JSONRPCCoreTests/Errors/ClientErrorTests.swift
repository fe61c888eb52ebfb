// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct ClientErrorTests {
    private struct Book: Decodable, Sendable {
        struct Page: Decodable, Sendable { var number: Int }
        var pages: [Page]
    }

    private func failure<R: Decodable & Sendable>(
        _ type: R.Type, of result: JSONValue, using coder: any MessageCoder = .wireJSON
    ) throws -> ClientError {
        let batch = try BatchFactory(coder: coder).create(MethodCall("aria2.getVersion", as: type))
        return try #require(
            batch.results(from: ["jsonrpc": "2.0", "id": 1, "result": result]).failure?.clientError)
    }

    // MARK: Messages

    @Test func anUndecodableResultIsNamedWithItsPlaceAndReason() throws {
        let plain = try failure(Int.self, of: "text")
        #expect(
            plain.message
                == "Could not decode the result of `aria2.getVersion` as `Int`: expected a number at `$` (line 1, column 1), "
                + "found a string.")
        #expect("\(plain)" == plain.message)
        #expect(plain.received == Array(#""text""#.utf8))
        let deep = try failure(Book.self, of: ["pages": [["number": 1], ["number": "two"]]])
        #expect(
            deep.message.hasSuffix(
                "as `Book`: expected a number at `$.pages[1].number` (line 1, column 34), found a string."))
        #expect(deep.cause is DecodingError)
    }

    @Test func soItIsWithFoundationsCoder() throws {
        let deep = try failure(Book.self, of: ["pages": [["number": 1], ["number": "two"]]], using: .foundation)
        #expect(deep.message.hasPrefix("Could not decode the result of `aria2.getVersion` as `Book`: expected"))
        #expect(deep.message.hasSuffix(" at $.pages[1].number."))
        #expect("\(deep)" == deep.message)
        let missing = try failure(Book.self, of: ["pages": [[:]]], using: .foundation)
        #expect(missing.message.hasSuffix(#"the object has no member "number" at $.pages[0]."#))
    }

    @Test func unencodableParamsAreNamed() throws {
        let error = try #require(throws: ClientError.self) {
            try BatchFactory().create(MethodCall("scale", params: ["by": Double.nan]))
        }
        #expect(error.message.hasPrefix("Could not encode the params of `scale`: "))
        #expect("\(error)" == error.message.dropLast() + ". The request was not sent.")
    }

    @Test func theRequestIsOnlySpokenOfWhereThereIsOne() {
        let connect = ClientError(.connectFailed, "The connection could not be made.", delivery: .notSent)
        #expect("\(connect)" == "The connection could not be made.")
        let call = ClientError(.notConnected, "There is no connection.", requestID: 7, method: "m", delivery: .notSent)
        #expect("\(call)" == "There is no connection. Method: `m`. Request id: 7. The request was not sent.")
        #expect(call.localizedDescription == "\(call)")
    }

    @Test func aCauseThatTheMessageNamesIsNotRepeated() {
        let cause = ClientError(.timedOut, "127.0.0.1:1 did not answer.")
        let error = ClientError(.connectFailed, "Could not connect: 127.0.0.1:1 did not answer.", cause: cause)
        #expect("\(error)" == "Could not connect: 127.0.0.1:1 did not answer.")
        #expect("\(ClientError(.connectFailed, "Could not connect.", cause: cause))".hasSuffix("Cause: \(cause)"))
    }

    // MARK: Properties

    @Test func equalityLooksAtAll() {
        let error = ClientError(
            .timedOut, "Late.", cause: Refused(reason: 1), requestID: 1, method: "m", delivery: .outcomeUnknown,
            closeCode: 1000, irregularity: .wrongVersion, received: [1], isRetryable: true)
        #expect(error == error)
        let changes: [(inout ClientError) -> Void] = [
            { $0.code = .closed }, { $0.message = "" }, { $0.cause = nil }, { $0.cause = Refused(reason: 2) },
            { $0.cause = CancellationError() }, { $0.requestID = 2 }, { $0.method = nil }, { $0.delivery = .notSent },
            { $0.closeCode = 1001 }, { $0.irregularity = nil }, { $0.received = nil }, { $0.isRetryable = false },
        ]
        for (index, change) in changes.enumerated() {
            var other = error
            change(&other)
            #expect(other != error, "\(index)")
        }
    }

    @Test(arguments: [
        ClientError.Code.notConnected, .connectionLost, .timedOut, .connectFailed, .closed, .encodingFailed,
        .decodingFailed, .protocolViolation, .batchTooLarge, .missingResponse, .transportFailed,
    ])
    func whetherTryingAgainMayHelpFollowsFromTheCode(code: ClientError.Code) {
        let mayHelp: Set<ClientError.Code> = [.notConnected, .connectionLost, .timedOut]
        #expect(ClientError(code, "").isRetryable == mayHelp.contains(code))
        #expect(ClientError(code, "", isRetryable: true).isRetryable)
    }

    // MARK: What was received

    @Test func aViolationKeepsItsBytesAndTheVersionFound() throws {
        var strictness = Strictness.standard
        strictness[.wrongVersion] = .failCall
        let batch = try BatchFactory(strictness: strictness).create(GetData(), GetData())
        let first = #"{"jsonrpc":"1.0","id":1,"result":19}"#
        let (wrong, right) = batch.results(from: Array(#"[\#(first), {"jsonrpc":"2.0","id":2,"result":1}]"#.utf8))
        let failure = try #require(wrong.failure?.clientError)
        #expect(failure.received == Array(first.utf8))
        #expect(failure.receivedVersion?.text == #""1.0""#)
        #expect(failure.message == #"The peer sent a message whose jsonrpc member is not "2.0", but "1.0"."#)
        #expect(!failure.description.contains("19"))
        #expect(right.failure == nil)
    }

    @Test(arguments: ["<html>", "", "[]", #"{"jsonrpc":"2.0","id":1}"#, "7", "\u{FF}"])
    func answersThatCannotBeUsedAreKept(answer: String) throws {
        let failure = try #require(
            try BatchFactory().create(GetData()).results(from: Array(answer.utf8)).failure?.clientError)
        #expect(failure.received ?? [] == Array(answer.utf8))
        #expect(failure.receivedVersion == (answer.hasPrefix("{") ? RawJSON("2.0") : nil))
    }
}
