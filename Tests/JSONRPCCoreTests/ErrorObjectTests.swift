// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct ErrorObjectTests {
    @Test func descriptionIsOneLineWithoutData() throws {
        let data = try RawJSON(validating: #"{"secret":1}"#)
        let error = ErrorObject(code: -32000, message: "line one\nline two\u{1B}[0m", data: data)
        #expect(error.description == #"error -32000: line one\nline two\u{1B}[0m"#)
        #expect(ErrorObject(code: 5, message: "").description == "error 5")
    }

    @Test func codeAloneBringsTheMessageOfTheSpecification() {
        #expect(ErrorObject(.invalidParams) == ErrorObject(code: -32602, message: "Invalid params"))
        #expect(ErrorObject(7).message == "")
    }

    @Test func dataIsDecodedOnDemand() throws {
        let error = ErrorObject(code: 1, message: "m", data: try RawJSON(validating: "[1,2]"))
        #expect(try error.data(as: [Int].self) == [1, 2])
        #expect(throws: DecodingError.self) { try error.data(as: String.self) }
    }

    @Test func absentDataIsDecodedAsNull() throws {
        let error = ErrorObject(code: 1, message: "m")
        #expect(try error.data(as: Int?.self) == nil)
        #expect(throws: DecodingError.self) { try error.data(as: Int.self) }
    }

    @Test(arguments: [
        ErrorObject(.parseError), ErrorObject(code: 0, message: "é\n\"\\"),
        ErrorObject(code: 123, message: "m", data: RawJSON(unchecked: Array(#"{"a":[1,"x",null,true,1.5]}"#.utf8))),
    ])
    func codingGivesTheSameErrorBack(error: ErrorObject) throws {
        let json = try RawJSON(encoding: error)
        let decoded = try json.decode(as: ErrorObject.self)
        #expect(decoded.code == error.code)
        #expect(decoded.message == error.message)
        #expect(try decoded.data.map { try JSONValue($0) } == error.data.map { try JSONValue($0) })
    }

    /// Defect 18 of issue 10: a program that shows an error object must not lose a member of it.
    @Test func nullDataIsKept() throws {
        let json = try RawJSON(validating: #"{"code":1,"message":"m","data":null}"#)
        let error = ErrorObject(code: 1, message: "m", data: .null)
        #expect(try json.decode(as: ErrorObject.self) == error)
        #expect(try RawJSON(encoding: error) == json)
        #expect(try error.data(as: Int?.self) == nil)
    }

    @Test(arguments: [#"{"message":"m"}"#, #"{"code":1}"#, #"{"code":"1","message":"m"}"#, "null", "[]"])
    func decodingAloneIsStrict(text: String) throws {
        let json = try RawJSON(validating: text)
        #expect(throws: DecodingError.self) { try json.decode(as: ErrorObject.self) }
    }
}
