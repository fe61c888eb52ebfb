// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing
import ToolSupport

@testable import jsonrpc

@Suite(.inTurn) struct ParamWordsTests {
    @Test(arguments: [
        (["42", "23"], "[42,23]"),
        (["-1.50e3"], "[-1.50e3]"),
        (["true", "null", "false"], "[true,null,false]"),
        (["hello"], #"["hello"]"#),
        (["hello world"], #"["hello world"]"#),
        ([""], #"[""]"#),
        (["007", "+5", "NaN", "nil"], #"["007","+5","NaN","nil"]"#),
        ([#""quoted""#], #"["quoted"]"#),
        ([#"{"a": [1, 2]}"#], #"[{"a": [1, 2]}]"#),
        ([" 5 "], "[5]"),
        (["say \"hi\"\n\t\\\u{1}"], #"["say \"hi\"\n\t\\\u0001"]"#),
        (["http://127.0.0.1/?a=b"], #"["http://127.0.0.1/?a=b"]"#),
        (["token:s3cret=="], #"["token:s3cret=="]"#),
        (["grüße"], #"["grüße"]"#),
    ])
    func wordsWithoutNamesMakeAnArray(_ words: [String], _ expected: String) throws {
        #expect(try ParamWords.params(words)?.text == expected)
    }

    @Test(arguments: [
        (["minuend=42", "subtrahend=23"], #"{"minuend":42,"subtrahend":23}"#),
        (["name=value"], #"{"name":"value"}"#),
        (["name="], #"{"name":""}"#),
        (["text=a=b"], #"{"text":"a=b"}"#),
        (["list=[1,2]", "max-results=5", "$top.x_y=null"], #"{"list":[1,2],"max-results":5,"$top.x_y":null}"#),
        ([#"quoted="42""#], #"{"quoted":"42"}"#),
    ])
    func wordsWithNamesMakeAnObject(_ words: [String], _ expected: String) throws {
        #expect(try ParamWords.params(words)?.text == expected)
    }

    @Test func noWordsMakeNoParams() throws {
        #expect(try ParamWords.params([]) == nil)
    }

    @Test(arguments: ["{bad", "[1,2", "[01]", #""open"#, "{}x", #" {"a":}"#])
    func wordsThatStartLikeJSONMustBeJSON(_ word: String) {
        #expect(throws: UsageError.self) { try ParamWords.params([word]) }
        #expect(throws: UsageError.self) { try ParamWords.params(["name=\(word)"]) }
    }

    @Test func namedAndPositionalWordsDoNotMix() {
        #expect(throws: UsageError.self) { try ParamWords.params(["1", "a=2"]) }
        #expect(throws: UsageError.self) { try ParamWords.params(["a=2", "word"]) }
    }

    @Test func aNameGivenTwiceIsRefused() {
        #expect(throws: UsageError("The param 'a' is given twice. Give it once.")) {
            try ParamWords.params(["a=1", "b=2", "a=3"])
        }
    }
}

@Suite(.inTurn) struct ParamsOptionTests {
    @Test(arguments: [
        ("[1]", ParamsOption.literal("[1]")), ("@params.json", .file("params.json")), ("-", .standardInput),
        ("@-", .standardInput),
    ])
    func namesItsSource(_ argument: String, _ expected: ParamsOption) {
        #expect(ParamsOption(argument) == expected)
    }

    @Test func literalsKeepTheirBytes() throws {
        #expect(try ParamsOption(#"{"a": 1.00}"#).read().text == #"{"a": 1.00}"#)
    }

    @Test(arguments: ["42", #""text""#, "null", "[1", "", "{} {}"])
    func onlyArraysAndObjectsAreParams(_ argument: String) {
        #expect(throws: UsageError.self) { try ParamsOption(argument).read() }
    }

    @Test func aMissingFileIsNamedWithTheSystemsReason() {
        #expect(throws: UsageError("Could not open /nonexistent/params.json: No such file or directory.")) {
            try ParamsOption("@/nonexistent/params.json").read()
        }
    }
}

@Suite(.inTurn) struct JSONContentsTests {
    @Test func membersKeepOrderBytesAndRepetition() throws {
        let json = try RawJSON(validating: #" { "a" : 1.0 , "b" : {"x":[1,{"y":"}"}]} , "\u0061":"q\"," , "c":[ ] } "#)
        let members = try #require(try json.namedMembers())
        #expect(members.map(\.name) == ["a", "b", "a", "c"])
        #expect(members.map(\.value.text) == ["1.0", #"{"x":[1,{"y":"}"}]}"#, #""q\",""#, "[ ]"])
    }

    @Test(arguments: ["{}", "{ }"]) func anEmptyObjectHasNoMembers(_ text: String) throws {
        let members = try #require(try RawJSON(validating: text).namedMembers())
        #expect(members.isEmpty)
    }

    @Test func elementsKeepOrderAndBytes() throws {
        let elements = try #require(try RawJSON(validating: #"[ 1 , "a,b" , [2,[3]] , {} ]"#).elements())
        #expect(elements.map(\.text) == ["1", #""a,b""#, "[2,[3]]", "{}"])
    }

    @Test func otherValuesHaveNeither() throws {
        for text in ["1", "null", #""{}""#] {
            #expect(try RawJSON(validating: text).namedMembers() == nil)
            #expect(try RawJSON(validating: text).elements() == nil)
        }
    }
}
