// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct MessageReaderResponsesTests {
    /// Judges a response, and describes the result: the outcome, then the irregularities.
    private func summary(_ text: String, _ reader: MessageReader) throws -> String {
        let reading = try reader.response(text)
        let bytes = Array(text.utf8)
        let outcome =
            switch reading.outcome {
            case .result(let range?): "result \(String(decoding: bytes[range], as: UTF8.self))"
            case .result(nil): "no result"
            case .error(let error): "\(error) \(error.data?.text ?? "-")"
            case .violation(let irregularity): "violation \(irregularity)"
            }
        return outcome
    }

    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":1,"result":19}"#, "result 19"),
        (#"{"result":null,"id":1,"jsonrpc":"2.0"}"#, "result null"),
        (#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#, "error -32601: no -"),
        (
            #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"é\"","data":{"a":[1, 2]}}}"#,
            "error 1: é\" {\"a\":[1, 2]}"
        ),
        (#"{"jsonrpc":"2.0","id":1,"error":{"data":null,"message":"","code":0,"more":1}}"#, "error 0 null"),
        (#"{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"a\ud800\n"}}"#, #"error 5: a\ud800\n -"#),
        (#"{"jsonrpc":"2.0","id":1,"error":{"c\u006fde":5,"message":"a\u0062c"}}"#, "error 5: abc -"),
    ])
    func regularResponsesAreReadWithoutReport(text: String, outcome: String) throws {
        for reader in [MessageReader.standard, MessageReader(strictness: .strict, version: .required)] {
            #expect(try summary(text, reader) == outcome)
            let reading = try reader.response(text)
            #expect(reading.id == .value(1))
            #expect(reading.reported.isEmpty)
            #expect(!reading.closesConnection)
        }
    }

    /// A slice of the error object would not begin at zero.
    @Test func shortDataDoesNotKeepALongErrorObject() throws {
        let long = String(repeating: "a", count: 10_000)
        let text = #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","x":"\#(long)","data":7}}"#
        guard case .error(let error) = try MessageReader.standard.response(text).outcome else {
            Issue.record("The response has no error.")
            return
        }
        #expect(error.data?.text == "7")
        #expect(error.data?.bytes.startIndex == 0)
    }

    /// For each irregularity: the result if it is permitted.
    @Test(
        arguments: [
            (#"{"id":1,"result":2}"#, "result 2", .missingVersion),
            (#"{"jsonrpc":"1.0","id":1,"result":2}"#, "result 2", .wrongVersion),
            (#"{"jsonrpc":2.0,"id":1,"result":2}"#, "result 2", .wrongVersion),
            (#"{"jsonrpc":"2.0","id":1,"result":2,"result":3}"#, "result 3", .duplicateMembers),
            (#"{"jsonrpc":"2.0","id":1,"result":2,"more":3}"#, "result 2", .extraMembers),
            (
                #"{"jsonrpc":"2.0","id":1,"result":2,"error":{"code":1,"message":"m"}}"#, "error 1: m -",
                .bothResultAndError
            ),
            (#"{"jsonrpc":"2.0","id":1,"result":2,"error":null}"#, "result 2", .nullResultOrError),
            (#"{"jsonrpc":"2.0","id":1,"result":null,"error":null}"#, "result null", .nullResultOrError),
            (
                #"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"m"}}"#, "error 1: m -",
                .nullResultOrError
            ),
            (#"{"jsonrpc":"2.0","id":1}"#, "no result", .neitherResultNorError),
            (#"{"jsonrpc":"2.0","id":1,"error":null}"#, "no result", .neitherResultNorError),
            (#"{"jsonrpc":"2.0","id":1,"result":2,"method":"m"}"#, "result 2", .methodInResponse),
            (#"{"jsonrpc":"2.0","id":1,"error":{"code":"-5","message":"m"}}"#, "error -5: m -", .errorCodeAsString),
            (#"{"jsonrpc":"2.0","id":1,"error":{"code":-5.0,"message":"m"}}"#, "error -5: m -", .fractionalErrorCode),
            (#"{"jsonrpc":"2.0","id":1,"error":{"code":-5.9,"message":"m"}}"#, "error -5.9: m -", .fractionalErrorCode),
            (#"{"jsonrpc":"2.0","id":1,"error":{"code":1e3,"message":"m"}}"#, "error 1000: m -", .fractionalErrorCode),
            (#"{"jsonrpc":"2.0","id":1,"error":{"code":3}}"#, "error 3 -", .missingErrorMessage),
            (
                #"{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":{"en":"no"}}}"#, #"error 3: {"en":"no"} -"#,
                .missingErrorMessage
            ),
            (
                #"{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":null,"data":1}}"#, "error 3 1",
                .missingErrorMessage
            ),
        ] as [(String, String, Irregularity)])
    func toleratedIrregularityIsReadAsDocumented(text: String, outcome: String, irregularity: Irregularity) throws {
        #expect(try summary(text, .tolerant) == outcome)
        let reading = try MessageReader.tolerant.response(text)
        #expect(reading.reported.elements == [irregularity])
        #expect(reading.id == .value(1))

        var strictness = Strictness(everything: .ignore)
        let silent = MessageReader(strictness: strictness, version: .required)
        #expect(try summary(text, silent) == outcome)
        #expect(try silent.response(text).reported.isEmpty)

        strictness[irregularity] = .failCall
        let failing = try MessageReader(strictness: strictness, version: .required).response(text)
        #expect(failing.outcome == .violation(irregularity))
        #expect(failing.reported.elements == [irregularity])
        #expect(!failing.closesConnection)

        strictness[irregularity] = .closeConnection
        #expect(try MessageReader(strictness: strictness, version: .required).response(text).closesConnection)
    }

    @Test(
        arguments: [
            (#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#, .malformedError),
            (#"{"jsonrpc":"2.0","id":1,"error":[]}"#, .malformedError),
            (#"{"jsonrpc":"2.0","id":1,"error":false}"#, .malformedError),
            (#"{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}"#, .missingErrorCode),
            (#"{"jsonrpc":"2.0","id":1,"error":{"code":null,"message":"m"}}"#, .missingErrorCode),
            (#"{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"m"}}"#, .missingErrorCode),
            (#"{"jsonrpc":"2.0","id":1,"error":{"code":"","message":"m"}}"#, .missingErrorCode),
            (#"{"jsonrpc":"2.0","id":1,"error":{"code":[1],"message":"m"}}"#, .missingErrorCode),
            (#"{"jsonrpc":"2.0","id":1,"error":{"code":1e300,"message":"m"}}"#, .missingErrorCode),
            (#"{"jsonrpc":"2.0","id":1,"error":{"code":99999999999999999999,"message":"m"}}"#, .missingErrorCode),
        ] as [(String, Irregularity)])
    func errorWithoutReadingFailsTheCallAndInventsNothing(text: String, irregularity: Irregularity) throws {
        for strictness in [Strictness(everything: .ignore), .standard, .strict] {
            let reading = try MessageReader(strictness: strictness, version: .required).response(text)
            #expect(reading.outcome == .violation(irregularity))
            #expect(reading.id == .value(1))
        }
    }

    @Test(
        arguments: [
            (#"{"jsonrpc":"2.0","id":"a\u0062","result":1}"#, .value("ab"), []),
            (#"{"jsonrpc":"2.0","id":"","result":1}"#, .value(""), []),
            (#"{"jsonrpc":"2.0","id":-9223372036854775808,"result":1}"#, .value(.number(.min)), []),
            (#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#, .null, [.nullResponseID]),
            (#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}"#, .null, [.missingResponseID]),
            (#"{"jsonrpc":"2.0","id":1.0,"result":1}"#, .invalid, [.invalidID]),
            (#"{"jsonrpc":"2.0","id":9223372036854775808,"result":1}"#, .invalid, [.invalidID]),
            (#"{"jsonrpc":"2.0","id":true,"result":1}"#, .invalid, [.invalidID]),
            (#"{"jsonrpc":"2.0","id":"\ud800","result":1}"#, .invalid, [.invalidID]),
            (#"{"jsonrpc":"2.0","id":1,"id":2,"result":1}"#, .invalid, [.duplicateID, .duplicateMembers]),
            (#"{"jsonrpc":"2.0","id":[1],"result":1}"#, .invalid, [.invalidID]),
        ] as [(String, ResponseReading.ID, IrregularitySet)])
    func idIsReadByItsType(text: String, id: ResponseReading.ID, found: IrregularitySet) throws {
        let reading = try MessageReader.tolerant.response(text)
        #expect(reading.id == id)
        #expect(reading.reported == found)
    }

    @Test func idInsideAValueIsNotTheResponsesID() throws {
        let reading = try MessageReader.tolerant.response(#"{"jsonrpc":"2.0","result":{"id":7}}"#)
        #expect(reading.id == .null)
    }

    @Test func absentVersionIsRegularWhereItIsOptional() throws {
        let reader = MessageReader(strictness: .strict, version: .optional)
        #expect(try reader.response(#"{"id":1,"result":2}"#).reported.isEmpty)
        #expect(try reader.response(#"{"jsonrpc":"3","id":1,"result":2}"#).outcome == .violation(.wrongVersion))
    }

    @Test func earlierIrregularitiesCountToo() throws {
        let text = #"{"jsonrpc":"2.0","id":1,"result":2}"#
        #expect(try MessageReader.standard.response(text, found: [.binaryMessage]).reported == [.binaryMessage])
        let strict = MessageReader(strictness: .strict, version: .required)
        let reading = try strict.response(text, found: [.binaryMessage])
        #expect(reading.outcome == .violation(.binaryMessage))
        #expect(reading.closesConnection)
    }

    @Test func severalIrregularitiesAreAllReported() throws {
        let reading = try MessageReader.standard.response(#"{"id":1,"error":{"code":"7","message":4},"x":1}"#)
        #expect(reading.reported == [.missingVersion, .errorCodeAsString, .missingErrorMessage])
        #expect(reading.outcome == .error(ErrorObject(code: 7, message: "4")))
    }
}
