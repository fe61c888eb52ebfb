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
        var thrown = ErrorObject(code: 5, message: "no")
        thrown.method = "a\nb"
        #expect(thrown.description == #"error 5 for `a\nb`: no"#)
    }

    @Test func theMethodIsNoPartOfTheObject() throws {
        var error = ErrorObject(code: 1, message: "m", data: .null)
        error.method = "add"
        #expect(error == ErrorObject(code: 1, message: "m", data: .null))
        #expect(error.hashValue == ErrorObject(code: 1, message: "m", data: .null).hashValue)
        #expect(try RawJSON(encoding: error).text == #"{"code":1,"message":"m","data":null}"#)
        #expect(try RawJSON(encoding: error).decode(as: ErrorObject.self).method == nil)
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

    /// JSON-RPC 2.0 §5.1: `data` may be omitted, or hold any value, including `null`.
    @Test(arguments: [MessageCoderKind.wireJSON, .foundation])
    func nullDataSurvivesDecodingAndEncoding(kind: MessageCoderKind) throws {
        let json = try RawJSON(validating: #"{"code":1,"message":"m","data":null}"#)
        let error = try kind.coder.decode(ErrorObject.self, from: json)
        #expect(error == ErrorObject(code: 1, message: "m", data: .null))
        #expect(error != ErrorObject(code: 1, message: "m"))
        #expect(try JSONValue(kind.coder.encode(error)) == JSONValue(json))
        let without = try kind.coder.decode(ErrorObject.self, from: RawJSON(validating: #"{"code":1,"message":"m"}"#))
        #expect(without.data == nil)
    }

    @Test(arguments: [#"{"message":"m"}"#, #"{"code":1}"#, #"{"code":"1","message":"m"}"#, "null", "[]"])
    func decodingAloneIsStrict(text: String) throws {
        let json = try RawJSON(validating: text)
        #expect(throws: DecodingError.self) { try json.decode(as: ErrorObject.self) }
    }
}

/// Names a coder for a test's arguments.
enum MessageCoderKind: Sendable {
    case wireJSON, foundation

    var coder: any MessageCoder {
        switch self {
        case .wireJSON: .wireJSON
        case .foundation: FoundationCoder()
        }
    }
}
