// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import OpenRPC
import TestTurns
import Testing

@testable import jsonrpc

/// The text of `describe`.
@Suite(.inTurn) struct MethodTextTests {
    /// The text about the only method of a document.
    private func text(_ method: String, schemas: String = "{}", peer: [String] = ["ws://h"]) throws -> String {
        let document = try OpenRPCDocument(
            parsing: Array(
                #"{"openrpc":"1.3.2","info":{"title":"t","version":"1"},"methods":[\#(method)],"#.utf8)
                + Array(#""components":{"schemas":\#(schemas)}}"#.utf8))
        return document.text(of: try #require(document.methods.first), peer: peer)
    }

    /// The calls to paste for params with these schemas, in which the names are `a`, `b`, …
    private func calls(_ schemas: [String], byPosition: Bool = false, components: String = "{}") throws -> [String] {
        let names = ["a", "b", "c", "d", "e", "f"]
        let params = zip(names, schemas).map { #"{"name":"\#($0)","required":true,"schema":\#($1)}"# }
        let structure = byPosition ? "by-position" : "either"
        let method = #"{"name":"m","paramStructure":"\#(structure)","params":[\#(params.joined(separator: ","))]}"#
        return try text(method, schemas: components).split(separator: "\n").filter { $0.hasPrefix("  jsonrpc call ") }
            .map { String($0.dropFirst("  jsonrpc call ws://h ".count)) }
    }

    @Test func aMethodHasRowsAndACall() throws {
        let method = #"""
            {"name":"books.find","summary":"Finds books.","description":"By title,\nthen by year.","deprecated":true,
             "paramStructure":"by-name",
             "params":[{"name":"query","required":true,"summary":"A part of the title.","schema":{"type":"string"}},
                       {"name":"max","schema":{"type":"integer","description":"At least 1."}}],
             "result":{"name":"books","schema":{"type":"array","items":{"type":"string"}}},
             "errors":[{"code":-32000,"message":"Too many"}]}
            """#
        #expect(
            try text(method) == """
                books.find(query: string, max?: integer) -> [string]  (deprecated)
                  Finds books.
                  By title, then by year.

                  query    string  A part of the title.
                  max      integer  At least 1.
                  returns  [string]

                  error -32000  Too many

                  jsonrpc call ws://h books.find query=text
                  jsonrpc call ws://h books.find query=text max=0
                """)
    }

    @Test func aMethodWithoutParamsIsShort() throws {
        #expect(try text(#"{"name":"m"}"#, peer: []) == "m()\n\n  jsonrpc call m")
    }

    @Test func valuesHaveTheTypesOfTheSchemas() throws {
        #expect(
            try calls([
                #"{"type":"boolean"}"#, #"{"type":"null"}"#, "true", #"{"type":"array","items":{"type":"number"}}"#,
                #"{"type":"array"}"#, #"{"enum":["on","off"]}"#,
            ]) == ["m a=false b=null c=null 'd=[0]' 'e=[]' f=on"])
        #expect(
            try calls([
                #"{"const":"a b"}"#, #"{"enum":["true"]}"#, #"{"enum":["it's"]}"#, #"{"oneOf":[{"type":"string"},{}]}"#,
            ]) == [#"m 'a="a b"' 'b="true"' 'c="it'\''s"' d=text"#])
        #expect(
            try calls(
                [
                    #"{"type":"object","required":["n"],"properties":{"n":{"type":"number"},"o":{}}}"#,
                    #"{"enum":[-1]}"#,
                ],
                byPosition: true) == [#"m '{"n":0}' -1"#])
    }

    @Test func referencesAreFollowed() throws {
        let components = #"""
            {"book":{"type":"object","required":["next","title"],
                     "properties":{"title":{"type":"string"},"next":{"$ref":"#/components/schemas/null"}}},
             "null":{"type":"null"},"loop":{"$ref":"#/components/schemas/loop"},
             "both":{"allOf":[{"$ref":"#/components/schemas/book"},
                              {"type":"object","required":["x"],"properties":{"x":{"type":"number"}}}]}}
            """#
        func reference(_ name: String) -> String { ##"{"$ref":"#/components/schemas/\##(name)"}"## }
        let calls = try calls(
            [reference("book"), reference("loop"), reference("missing"), reference("both")], byPosition: true,
            components: components)
        #expect(
            calls == [#"m '{"title":"text","next":null}' null null '{"title":"text","next":null,"x":0}'"#])
    }

    /// Each schema has two members of the next, so that the whole value would have 2¹⁰⁰ parts.
    @Test func aVeryLargeValueIsCut() throws {
        let schemas = (0..<100).map {
            let next = ##"{"$ref":"#/components/schemas/s\##($0 + 1)"}"##
            return #""s\#($0)":{"type":"object","required":["a","b"],"properties":{"a":\#(next),"b":\#(next)}}"#
        }
        let calls = try calls(
            [##"{"$ref":"#/components/schemas/s0"}"##], byPosition: true,
            components: "{\(schemas.joined(separator: ","))}")
        #expect(calls.count == 1)
        #expect(calls[0].utf8.count < 10_000)
    }

    @Test func byPositionNoParamIsLeftOutBeforeANeededOne() throws {
        let method = #"""
            {"name":"m","paramStructure":"by-position","params":[
              {"name":"a","schema":{"type":"number"}},{"name":"b","required":true,"schema":{"type":"string"}},
              {"name":"c","schema":{"type":"boolean"}}]}
            """#
        #expect(try text(method).hasSuffix("  jsonrpc call ws://h m 0 text\n  jsonrpc call ws://h m 0 text false"))
    }

    /// A document must neither control the terminal nor the shell of the user who pastes a call.
    @Test func textOfThePeerIsHarmless() throws {
        let method = #"""
            {"name":"--proxy=$(id);'\n\u001b[2J\u009b","summary":"\u001b[2J\u202e\n  jsonrpc call evil",
             "params":[{"name":"a\n; id","required":true,"schema":{"const":"'; id; '\u001b\u009b"}}],
             "errors":[{"code":1,"message":"\u001b[2J\nx"}]}
            """#
        let text = try text(method)
        for scalar in text.unicodeScalars where scalar != "\n" {
            #expect(!"\u{1B}\u{9B}\u{202E}\u{7F}".unicodeScalars.contains(scalar))
        }
        let calls = text.split(separator: "\n").filter { $0.hasPrefix("  jsonrpc call ") }
        #expect(
            calls == [
                #"  jsonrpc call ws://h --params '{"a\n; id":"'\''; id; '\''\u001b\u009b"}' "#
                    + #"-- '--proxy=$(id);'\''\n\x1b[2J\u009b'"#
            ])
    }
}
