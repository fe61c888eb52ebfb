// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing
import ToolSupport

@testable import jsonrpc

@Suite(.inTurn) struct BatchLineTests {
    private func line(_ text: String, number: Int = 7) throws(BatchLine.Fault) -> BatchLine? {
        try BatchLine(StandardInput.Line(number: number, bytes: Array(text.utf8)))
    }

    @Test func withoutIDTheLineNumberIsTheLabel() throws {
        let line = try #require(try line(#"{"method":"m"}"#))
        #expect(line.label.text == "7")
        #expect(line.method == "m")
        #expect(line.params == nil)
        #expect(!line.isNotification)
    }

    @Test(arguments: ["1", #""x""#, "-3", "1.5", "null", #""\u00fc""#])
    func theIDIsTheLabelAsItWasWritten(_ id: String) throws {
        let line = try #require(try line(#"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":{"a":1}}"#))
        #expect(line.label.text == id)
        #expect(line.params?.text == #"{"a":1}"#)
    }

    @Test func notificationsSaySo() throws {
        #expect(try line(#"{"notification":true,"method":"m","params":[1]}"#)?.isNotification == true)
        #expect(try line(#"{"notification":false,"method":"m"}"#)?.isNotification == false)
    }

    @Test(arguments: ["", "   ", "\r", "\t \r"]) func blankLinesAreNothing(_ text: String) throws {
        #expect(try line(text) == nil)
    }

    @Test(
        arguments: [
            (#"{"method":"m""#, nil), ("[]", nil), ("42", nil), (#"{"params":[]}"#, nil), (#"{"method":1}"#, nil),
            (#"{"method":"m","params":1}"#, nil), (#"{"method":"m","params":null}"#, nil),
            (#"{"method":"m","id":{}}"#, nil), (#"{"method":"m","id":true}"#, nil),
            (#"{"method":"m","notification":1}"#, nil), (#"{"method":"m","method":"n"}"#, nil),
            (#"{"method":"m","parms":[]}"#, nil), (#"{"method":"m","notification":true,"id":4}"#, "4"),
            (#"{"method":2,"id":"x"}"#, #""x""#), (#"{"method":"\ud800"}"#, nil),
        ] as [(String, String?)])
    func aFaultBearsTheLinesIDAndNumber(_ text: String, _ id: String?) {
        #expect { _ = try line(text) } throws: { error in
            let fault = error as? BatchLine.Fault
            return fault?.id?.text == id && fault?.line == 7
        }
    }
}

@Suite(.inTurn) struct BatchAnswerTests {
    private func line(_ label: String, _ outcome: Result<RawJSON, CallFailure>, withVersion: Bool = true) throws
        -> String
    {
        let answer = BatchAnswer(label: try RawJSON(validating: label), outcome: outcome)
        return String(decoding: answer.line(withVersion: withVersion), as: UTF8.self)
    }

    @Test func aResultIsAResponseObjectOnOneLine() throws {
        let result = try RawJSON(validating: "{ \"a\" :\n [1, 2] }")
        #expect(try line(#""x""#, .success(result)) == #"{"jsonrpc":"2.0","id":"x","result":{"a":[1,2]}}"#)
        #expect(try line("3", .success(.null), withVersion: false) == #"{"id":3,"result":null}"#)
    }

    @Test func anErrorObjectIsAResponseObjectToo() throws {
        let error = ErrorObject(code: .invalidParams, message: "no", data: try RawJSON(validating: "[ 1 ]"))
        let failure = CallFailure(kind: .errorObject, delivery: .answered, message: "", errorObject: error)
        #expect(
            try line("1", .failure(failure))
                == #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no","data":[1]}}"#)
    }

    @Test func aFailureSaysKindDeliveryMessageAndWhetherARetryHelps() throws {
        let failure = CallFailure(kind: .timeout, delivery: .outcomeUnknown, message: "No \"answer\".")
        #expect(
            try line("12", .failure(failure))
                == #"{"id":12,"failure":{"kind":"timeout","delivery":"outcome_unknown","message":"No \"answer\".","retryable":false}}"#
        )
        let lost = CallFailure(kind: .lost, delivery: .notSent, message: "x", isRetryable: true)
        #expect(
            try line("1", .failure(lost))
                == #"{"id":1,"failure":{"kind":"lost","delivery":"not_sent","message":"x","retryable":true}}"#)
    }
}
