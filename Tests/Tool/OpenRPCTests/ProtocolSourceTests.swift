// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import OpenRPC
import TestSupport
import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct ProtocolSourceTests {
    private func source(
        methods: String = "[]", schemas: String = "{}", title: String = "T",
        _ change: (inout ProtocolSource) -> Void = { _ in }
    ) throws -> String {
        let title = String(decoding: JSONValue.string(title).bytes, as: UTF8.self)
        let document = try OpenRPCDocument(
            parsing: Array(
                """
                {"openrpc":"1","info":{"title":\(title),"version":"1"},"methods":\(methods),
                 "components":{"schemas":\(schemas)}}
                """.utf8))
        var source = ProtocolSource()
        change(&source)
        return try source.text(for: document)
    }

    /// A method whose result has this schema.
    private func result(_ schema: String) -> String {
        #"[{"name":"get","params":[],"result":{"name":"it","schema":\#(schema)}}]"#
    }

    /// The file is a part of this test target, so the generated code compiles.
    @Test func theBookshopIsWrittenAsTheFileBeside() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Generated/BookShop.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // The first two are the header of this project's files.
        let expected = lines.dropFirst(2).joined(separator: "\n")
        #expect(try ProtocolSource().text(for: OpenRPCDocument(parsing: Array(bookshopDocument.utf8))) == expected)
    }

    /// Unions, and types that encode themselves because a member is required and can be null, do not get it.
    @Test func typesGetTheCodingMacro() async throws {
        let document = try OpenRPCDocument(parsing: Array(bookshopDocument.utf8))
        var source = ProtocolSource()
        source.usesCodingMacro = true
        let text = try source.text(for: document)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let plain = lines.filter { $0 != "@JSONCodable" && $0 != "import WireJSONMacros" }.joined(separator: "\n")
        #expect(try plain == ProtocolSource().text(for: document))
        let marked = lines.indices.dropLast().filter { lines[$0] == "@JSONCodable" }.map { lines[$0 + 1] }
        #expect(marked.contains { $0.hasPrefix("enum Genre:") } && marked.contains { $0.hasPrefix("struct Book:") })
        #expect(!marked.contains { $0.hasPrefix("indirect enum") })
        let errors = try await macroErrors(about: ["Shop.swift": text], importing: "WireJSONMacros")
        #expect(errors == [])
    }

    @Test(arguments: [
        (#"{"type":"string"}"#, "String"), (#"{"type":"integer"}"#, "Int"), (#"{"type":"number"}"#, "Double"),
        (#"{"type":"boolean"}"#, "Bool"), ("true", "JSONValue"), ("{}", "JSONValue"),
        (#"{"type":"array"}"#, "[JSONValue]"), (#"{"items":{"type":"string"}}"#, "[String]"),
        (#"{"type":"array","items":[{"type":"string"},{"type":"integer"}]}"#, "[JSONValue]"),
        (#"{"type":"object"}"#, "[String: JSONValue]"),
        (#"{"type":"object","additionalProperties":{"type":"integer"}}"#, "[String: Int]"),
        (#"{"type":"object","additionalProperties":false}"#, "[String: JSONValue]"),
        (#"{"type":["string","null"]}"#, "String?"), (#"{"oneOf":[{"type":"null"},{"type":"string"}]}"#, "String?"),
        (#"{"anyOf":[{"type":"string"},{"type":"string","maxLength":3}]}"#, "String"),
        (#"{"anyOf":[{"type":"string"},{}]}"#, "JSONValue"), (#"{"allOf":[{"type":"string"}]}"#, "String"),
        (#"{"allOf":[{"type":"string"},{"maxLength":3}]}"#, "JSONValue"), (#"{"enum":[1,"a"]}"#, "JSONValue"),
        (#"{"enum":[null]}"#, "JSONValue"), (#"{"const":"x"}"#, "GetResult"), (#"{"type":"strange"}"#, "JSONValue"),
        (#"{"oneOf":[]}"#, "JSONValue"), (#"{"enum":[]}"#, "JSONValue"),
    ])
    func schemasBecomeTypes(_ schema: String, _ type: String) throws {
        let text = try source(methods: result(schema))
        #expect(text.contains("    func get() async throws -> \(type)\n"), "\(text)")
    }

    @Test func typesThatHoldOneAnotherAreBoxed() throws {
        let text = try source(
            methods: result(##"{"$ref":"#/components/schemas/A"}"##),
            schemas: ##"""
                {"A":{"type":"object","properties":{"b":{"$ref":"#/components/schemas/B"}}},
                 "B":{"type":"object","required":["c"],"properties":{"c":{"$ref":"#/components/schemas/C"}}},
                 "C":{"oneOf":[{"$ref":"#/components/schemas/A"},{"type":"null"}]}}
                """##)
        #expect(text.contains("var b: Indirect<B>?"), "\(text)")
        #expect(text.contains("final class Indirect"))
    }

    @Test(arguments: [
        ##"{"A":{"$ref":"#/components/schemas/A"}}"##,
        ##"{"A":{"$ref":"#/components/schemas/B"},"B":{"$ref":"#/components/schemas/A"}}"##,
        ##"{"A":{"type":"array","items":{"$ref":"#/components/schemas/A"}}}"##,
        ##"{"A":{"allOf":[{"$ref":"#/components/schemas/A"},{"type":"object"}]}}"##,
        ##"{"A":{"oneOf":[{"$ref":"#/components/schemas/A"}]}}"##,
        ##"{"A":{"oneOf":[{"$ref":"#/components/schemas/A"},{"type":"string"}]}}"##,
        ##"{"A":{"additionalProperties":{"$ref":"#/components/schemas/A"},"type":"object"}}"##,
    ])
    func schemasThatReferToThemselvesComeToAnEnd(_ schemas: String) throws {
        let text = try source(methods: result(##"{"$ref":"#/components/schemas/A"}"##), schemas: schemas)
        #expect(text.contains("func get() async throws"))
    }

    @Test func aLongChainOfReferencesIsRefused() throws {
        let schemas = (0..<5000).map {
            ##""S\##($0)":{"type":"object","properties":{"next":{"$ref":"#/components/schemas/S\##($0 + 1)"}}}"##
        }
        let document = "{" + schemas.joined(separator: ",") + ##","S5000":{"type":"string"}}"##
        let error = #expect(throws: OpenRPCError.self) {
            try source(methods: result(##"{"$ref":"#/components/schemas/S0"}"##), schemas: document)
        }
        #expect(error?.description.contains("More than 200 schemas") == true)
    }

    @Test func aReferenceToNothingIsAnError() throws {
        let error = #expect(throws: OpenRPCError.self) {
            try source(methods: result(##"{"$ref":"#/components/schemas/Gone"}"##))
        }
        #expect(
            error?.description
                == "A schema refers to #/components/schemas/Gone, which does not exist in the document.")
    }

    /// Nothing in a document can end a comment, a string or a name.
    @Test func textOfADocumentCannotBecomeCode() throws {
        let text = try source(
            methods: #"""
                [{"name":"a\"b\\c\n\u2028d","summary":"one\ntwo\r\nthree\u2028four","params":[
                   {"name":"class","required":true,"schema":{"type":"string"}},
                   {"name":"class?","schema":{"type":"string"}},
                   {"name":"日本","schema":{"type":"string"}}
                 ],"result":{"name":"r","schema":{"enum":["", "a\"", "A", "1", "\u0000"]}}},
                 {"name":"aBCD","params":[],"result":{"name":"r","schema":{"type":"null"}}},
                 {"name":"a-b-c-d","params":[],"result":{"name":"r","schema":{"type":"null"}}}]
                """#, title: "protocol\nx")
        #expect(text.contains(#"@RPC("a\"b\\c\n\u{2028}d", renaming: ["class2": "class?", "value": "日本"])"#), "\(text)")
        #expect(text.contains("func aBCD(`class`: String, class2: String?, value: String?)"), "\(text)")
        #expect(text.contains("    /// one\n    /// two\n    /// three\n    /// four\n"))
        #expect(text.contains("    func aBCD2() async throws\n"))
        #expect(text.contains("protocol ProtocolX: Sendable"))
        for line in [
            #"case value = """#, #"case a = "a\"""#, #"case a2 = "A""#, #"case _1 = "1""#, #"case value2 = "\0""#,
        ] { #expect(text.contains("    \(line)\n"), "\(line) in \(text)") }
    }

    @Test func optionsAreFollowed() throws {
        let methods = """
            [{"name":"m","params":[{"name":"p","schema":{"type":"object","properties":{"x":{}}}}]},
             {"name":"n","paramStructure":"by-name","params":[{"name":"p","schema":{}}]}]
            """
        let text = try source(methods: methods) {
            $0.access = .public
            $0.protocolName = "Mine"
            $0.modules = ["A", "B"]
            $0.prefersPosition = true
        }
        #expect(text.contains("public import A\npublic import B\n"))
        #expect(text.contains("@JSONRPCProxyAndService(params: .byPosition)\npublic protocol Mine: Sendable {"))
        #expect(text.contains("    func m(_ p: MP?) async throws\n"))
        #expect(text.contains("    @RPCNotification(params: .byName)\n    func n(p: JSONValue?) async throws\n"))
        #expect(text.contains("public struct MP: Codable, Sendable, Hashable {\n    public var x: JSONValue?\n"))
    }
}
