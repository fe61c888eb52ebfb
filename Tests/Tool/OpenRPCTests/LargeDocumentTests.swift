// swift-jsonrpc · SPDX-License-Identifier: MIT

import OpenRPC
import TestTurns
import Testing
import WireJSON

/// Documents that would take long, or too much memory. The time limit of the suite applies to each test.
@Suite(.inTurn(within: .seconds(60))) struct LargeDocumentTests {
    /// Returns the code for a method whose result is the schema `S0`.
    private func source(_ schemas: [String], others: String = "{}") throws -> String {
        let named = schemas.enumerated().map { #""S\#($0)":\#($1)"# }.joined(separator: ",")
        let document = try OpenRPCDocument(
            parsing: Array(
                ##"""
                {"openrpc":"1","info":{"title":"T","version":"1"},"components":{"schemas":{\##(named)},"others":\##(others)},
                 "methods":[{"name":"m","params":[],"result":{"name":"r","schema":{"$ref":"#/components/schemas/S0"}}}]}
                """##.utf8))
        return try ProtocolSource().text(for: document)
    }

    private func reference(_ number: Int) -> String { ##"{"$ref":"#/components/schemas/S\##(number)"}"## }

    /// Each schema contains the next one twice: 2^150 paths.
    @Test func sharedPartsOfAllOfAreReadOnce() throws {
        let schemas = (0..<150).map { #"{"allOf":[\#(reference($0 + 1)),\#(reference($0 + 1))]}"# }
        let text = try source(schemas + [#"{"type":"object","properties":{"x":{"type":"string"}}}"#])
        #expect(text.contains("struct S0: Codable, Sendable, Hashable {\n    var x: String?\n"), "\(text)")
    }

    /// The document has 2^150 paths, all of them endless.
    @Test func sharedPartsOfAllOfInACycleAreNoObject() throws {
        let schemas = (0..<150).map { number in
            let next = (number + 1) % 150
            return #"{"allOf":[\#(reference(next)),\#(reference(next))]}"#
        }
        #expect(try source(schemas).contains("-> S0\n"))
        #expect(try source(schemas).contains("typealias S0 = JSONValue\n"))
    }

    @Test func aMissingPartOfAllOfIsAnError() {
        #expect(throws: OpenRPCError.self) { try source([#"{"allOf":[\#(reference(7)),{"type":"object"}]}"#]) }
        #expect(throws: OpenRPCError.self) {
            try source([#"{"allOf":[{"$ref":"http://h/x.json#/a"},{"type":"object"}]}"#])
        }
    }

    /// Types without a title are declared for each of their owners: here each type would need all later ones again.
    @Test func tooManyTypesAreRefused() {
        let schemas = (0..<40).map { number in
            #"{"allOf":[\#(reference(number + 1)),{"properties":{"p\#(number)":{"allOf":[\#(reference(number + 1)),"#
                + #"{"properties":{"q":{"type":"string"}}}]}}}]}"#
        }
        let error = #expect(throws: OpenRPCError.self) {
            try source(schemas + [#"{"type":"object","properties":{"x":{}}}"#])
        }
        #expect(error?.description == "The document needs more than 20000 types.")
    }

    @Test(arguments: ["items", "allOf", "properties"])
    func deepNestingIsRefusedAndDoesNotExhaustTheStack(kind: String) {
        // Each of 150 schemas is nested 200 times, and contains the next one.
        let schemas = (0..<150).map { number in
            let inner = reference(number + 1)
            switch kind {
            case "items":
                return String(repeating: #"{"items":"#, count: 200) + inner + String(repeating: "}", count: 200)
            case "allOf":
                return String(repeating: #"{"allOf":[{"type":"object"},"#, count: 100) + inner
                    + String(repeating: "]}", count: 100)
            default:
                return String(repeating: #"{"type":"object","properties":{"a":"#, count: 100) + inner
                    + String(repeating: "}}", count: 100)
            }
        }
        let error = #expect(throws: OpenRPCError.self) { try source(schemas + [#"{"type":"string"}"#]) }
        #expect(error?.description.contains("more than 500 levels deep") == true, "\(error?.description ?? "")")
    }

    @Test func manyTypesThatContainEachOtherTakeLittleTime() throws {
        let count = 3000
        // Each schema contains the previous one, so no chain is long. The last line declares them in this order.
        let schemas = (0..<count).map { number in
            let before = number == 0 ? #"{"type":"string"}"# : reference(number - 1)
            return #"{"type":"object","required":["b"],"properties":{"b":\#(before),"c":{"type":"integer"}}}"#
        }
        let all = (0..<count).map { #"{"name":"p\#($0)","schema":\#(reference($0))}"# }.joined(separator: ",")
        let named = schemas.enumerated().map { #""S\#($0)":\#($1)"# }.joined(separator: ",")
        let document = try OpenRPCDocument(
            parsing: Array(
                #"""
                {"openrpc":"1","info":{"title":"T","version":"1"},"components":{"schemas":{\#(named)}},
                 "methods":[{"name":"m","params":[\#(all)]}]}
                """#.utf8))
        let text = try ProtocolSource().text(for: document)
        #expect(text.contains("struct S\(count - 1): Codable"))
        #expect(!text.contains("Indirect"))
    }

    @Test func manyEqualNamesTakeLittleTime() throws {
        let values = (0..<20_000).map { #""\#(String(repeating: "-", count: $0 % 7))\#($0 / 7)é""# }
        let text = try source([#"{"enum":[\#(values.joined(separator: ","))]}"#])
        #expect(text.contains("    case _1 = "))
        let same = (0..<20_000).map { "\"\(String(UnicodeScalar(UInt32(0x4E00 + $0)).map(Character.init) ?? "x"))\"" }
        let text2 = try source([#"{"enum":[\#(same.joined(separator: ","))]}"#])
        #expect(text2.contains("    case value20000 = "))
    }
}

/// Characters that could deceive a terminal, an editor or a reader.
@Suite(.inTurn) struct InvisibleCharacterTests {
    @Test(
        arguments: [
            0x00, 0x07, 0x1B, 0x7F, 0x85, 0x9B, 0xAD, 0x061C, 0x200B, 0x200E, 0x2028, 0x202E, 0x2060, 0x2066, 0xFEFF,
            0xFFF9, 0xE0001, 0xE0041,
        ] as [UInt32])
    func invisibleCharactersAreEscapedInTheCode(_ value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        let text = String(decoding: JSONValue.string("a\(scalar)b").bytes, as: UTF8.self)
        let document = try OpenRPCDocument(
            parsing: Array(
                """
                {"openrpc":"1","info":{"title":\(text),"version":\(text),"description":\(text)},
                 "methods":[{"name":\(text),"summary":\(text),"description":\(text),
                   "params":[{"name":\(text),"summary":\(text),"required":true,"schema":{"enum":[\(text),"c"]}}],
                   "errors":[{"code":1,"message":\(text)}],
                   "result":{"name":"r","schema":{"type":"object","description":\(text),
                     "properties":{\(text):{"type":"string","description":\(text)}}}}}]}
                """.utf8))
        let code = try ProtocolSource().text(for: document)
        #expect(!code.unicodeScalars.contains { $0 != "\n" && $0.isInvisible }, "\(code.debugDescription)")
        let isLineEnd = [0x85, 0x2028].contains(value)
        let digits = String(value, radix: 16, uppercase: true)
        let zeros = String(repeating: "0", count: (value < 0x80 ? 2 : value <= 0xFFFF ? 4 : 8) - digits.count)
        let escape = value == 0 ? "\\0" : "\\u{\(zeros)\(digits)}"
        #expect(code.contains("\"a\(escape)b\""))
        #expect(code.contains(isLineEnd ? "/// a\n" : "/// a\(escape)b\n"))
    }

    @Test func otherCharactersStay() throws {
        let text = "naïve 日本 👩‍👩‍👧 ❤️ می‌خواهم\ttab"
        let document = try OpenRPCDocument(
            parsing: Array(
                """
                {"openrpc":"1","info":{"title":"T","version":"1","description":\(JSONValue.string(text))},"methods":[]}
                """.utf8))
        #expect(try ProtocolSource().text(for: document).contains("/// \(text)\n"))
    }
}
