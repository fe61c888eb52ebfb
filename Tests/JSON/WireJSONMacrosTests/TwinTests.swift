// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import TestTurns
import Testing
import WireJSONMacros

@Suite("Generated code beside the compiler's", .inTurn) struct TwinTests {
    /// Decodes a text with any coders. Returns the text of the value, or the error.
    private func outcome<T: Codable>(
        _ type: T.Type, _ decode: (T.Type) throws -> T, _ encode: (T) throws -> [UInt8]
    ) -> String {
        do {
            return String(decoding: try encode(try decode(type)), as: UTF8.self)
        } catch {
            return "\(error)".replacing("Written.", with: "Derived.")
        }
    }

    private func outcome<T: Codable>(_ type: T.Type, _ text: [UInt8], isDirect: Bool = true) -> String {
        let decoder = isDirect ? WireJSONDecoder() : Ways.throughCodable()
        let encoder = isDirect ? WireJSONEncoder() : Ways.throughCodable()
        return outcome(type, { try decoder.decode($0, from: text) }, { try encoder.encode($0) })
    }

    private func foundationOutcome<T: Codable>(_ type: T.Type, _ text: [UInt8]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return outcome(type, { try JSONDecoder().decode($0, from: Data(text)) }, { Array(try encoder.encode($0)) })
    }

    private func check<W: Codable, D: Codable>(_ written: W.Type, _ derived: D.Type, _ text: [UInt8]) {
        let expected = outcome(derived, text)
        let source = String(decoding: text, as: UTF8.self)
        #expect(outcome(written, text) == expected, "\(written) from \(source)")
        #expect(outcome(written, text, isDirect: false) == expected, "\(written) from \(source), through Codable")
    }

    /// Checks texts, and damaged versions of them.
    private func expectTwins<W: Codable, D: Codable>(
        _ written: W.Type, _ derived: D.Type, _ texts: String..., refused: [String] = []
    ) throws {
        var random = SeededGenerator(seed: 1)
        for text in texts + refused {
            let bytes = Array(text.utf8)
            let isRefused = refused.contains(text)
            #expect(((try? WireJSONDecoder().decode(derived, from: bytes)) == nil) == isRefused, "\(text)")
            check(written, derived, bytes)
            #expect(foundationOutcome(written, bytes) == foundationOutcome(derived, bytes))
            for _ in 0..<100 { check(written, derived, DamagedTextTests.damage(bytes, &random)) }
        }
    }

    @Test func structures() throws {
        try expectTwins(
            Written.Item.self, Derived.Item.self, #"{"name":"n","price":1.5}"#, #"{"name":"n","price":null,"x":[{}]}"#,
            #"{"n\u0061me":"a","name":"b"}"#, refused: [#"{"price":1}"#, #"{"name":null}"#, "[]", "null"])
        try expectTwins(
            Written.Order.self, Derived.Order.self,
            #"{"id":1,"items":[{"name":"a"},{"name":"b","price":2}],"note":"x","alias":"y","doubly":3,"unwrapped":4,"#
                + #""long":["z"],"version":9,"date":5.5,"parts":[{"id":2,"items":[],"date":0}]}"#,
            #"{"date":1,"items":[],"id":1,"note":null,"alias":null,"doubly":null,"unwrapped":null,"long":null}"#,
            refused: [#"{"id":1,"items":[{"name":"a"},{"name":3}],"date":5}"#])
        try expectTwins(Written.Ordered.self, Derived.Ordered.self, #"{"a":1,"B":2,"c":7,"d":"x"}"#)
        try expectTwins(Written.Constants.self, Derived.Constants.self, #"{"kind":3}"#, "{}", refused: ["[]"])
    }

    @Test func names() throws {
        try expectTwins(
            Written.Names.self, Derived.Names.self,
            #"{"a23456":1,"a234567":2,"a2345678":3,"a23456789":4,"a2345678901234":5,"a23456789012345":6,"#
                + #""a234567890123456":7,"a2345678901234567":8,"été":9,"名前":"n","a name":{"name":"x"},"😀":{"name":"y"}}"#,
            #"{"a2345678901234567":8,"a234567890123456":7,"a23456789012345":6,"a2345678901234":5,"a23456789":4,"#
                + #""a2345678":3,"a234567":2,"a23456":1,"\u00e9t\u00e9":9,"e\#u{301}te\#u{301}":5,"\ud83d\ude00":null}"#
        )
    }

    @Test func generics() throws {
        struct NotCodable {}
        try expectTwins(
            Written.Page<Int?, NotCodable>.self, Derived.Page<Int?, NotCodable>.self,
            #"{"elements":[1,null],"next":null}"#,
            #"{"elements":[],"next":3}"#, refused: [#"{"elements":[]}"#])
        try expectTwins(
            Written.Page<Written.Item, Int>.self, Derived.Page<Derived.Item, Int>.self,
            #"{"elements":[{"name":"a"}],"next":{"name":"b"}}"#)
    }

    @Test func cases() throws {
        try expectTwins(
            Written.Event.self, Derived.Event.self, #"{"none":{}}"#, #"{"some":{"_0":1}}"#,
            #"{"pair":{"value":null,"_0":"x"}}"#, #"{"item":{"_0":{"name":"n"},"_1":"o","in":[1]}}"#,
            #"{"item":{"in":[]}}"#,
            #"{"renamed":{"user":1,"at":2}}"#, #"{"labels":{"self":1,"Type":2,"for":3}}"#,
            #"{"default":{"default":1,"inout":2},"unknown":1}"#,
            #"{"nested":{"_0":{"nested":{"_0":{"none":{}}}}}}"#, #"{"été":{"year":1}}"#,
            refused: [
                "{}", #"{"none":{},"some":{"_0":1}}"#, #"{"none":null}"#, #"{"none":[]}"#, #"{"other":{}}"#, #""none""#,
                #"{"renamed":{"by":1}}"#, #"{"nested":{"_0":{"pair":{"_0":1}}}}"#,
            ])
    }

    @Test func rawValues() throws {
        try expectTwins(
            [Written.Color].self, [Derived.Color].self, #"["red","g\/\"r","default","r\u0065d"]"#,
            refused: [#"["green"]"#, #"["red",1]"#, #"["red",null]"#])
        try expectTwins(
            [Written.Level].self, [Derived.Level].self, "[1,170141183460469231731687303715884105727]", "[1.0]",
            refused: ["[2]", "[1.5]", #"["1"]"#])
        try expectTwins([Written.Ratio].self, [Derived.Ratio].self, "[0.5,1,5e-1]", refused: ["[2]", #"["inf"]"#])
        try expectTwins([Written.Half].self, [Derived.Half].self, #"[{"half":{}}]"#, refused: ["[0.5]"])
        try expectTwins(
            [Written.Extended].self, [Derived.Extended].self, #"["RED","red","blue","default","?","x"]"#,
            refused: ["[1]"])
        try expectTwins([Written.Lenient].self, [Derived.Lenient].self, #"["yes","Y","n"]"#, refused: [#"["x"]"#])
    }
}
