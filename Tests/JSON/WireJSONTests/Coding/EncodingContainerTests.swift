// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON

/// Containers used in every order that `Encodable` allows, compared with Foundation's encoder.
@Suite("Encoding containers", .inTurn)
struct EncodingContainerTests {
    struct Scripted: Encodable {
        let script: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try script(encoder) }
    }

    enum Key: String, CodingKey { case a, b, c, d, e }
    struct Point: Encodable { var x = 1, y = 2 }
    struct Failing: Encodable {
        struct Failure: Error {}
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .a)
            var nested = container.nestedUnkeyedContainer(forKey: .b)
            try nested.encode("half")
            throw Failure()
        }
    }

    static let scripts: [(String, @Sendable (any Encoder) throws -> Void)] = [
        (
            "inner container filled after the outer went on",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                var inner = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                try outer.encode(1, forKey: .b)
                try inner.encode("late", forKey: .c)
                try outer.encode(2, forKey: .d)
                try inner.encode(Point(), forKey: .e)
            }
        ),
        (
            "three arrays filled in turn",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                var first = outer.nestedUnkeyedContainer(forKey: .a)
                var second = outer.nestedUnkeyedContainer(forKey: .b)
                var third = outer.nestedUnkeyedContainer(forKey: .c)
                for value in 0..<4 {
                    try third.encode(value)
                    try first.encode([value, value])
                    try second.encode(Point(x: value))
                }
                #expect(first.count == 4)
                #expect(outer.codingPath.count + 1 == second.codingPath.count)
                #expect(second.codingPath.last?.stringValue == "b")
            }
        ),
        (
            "containers made late in closed containers",
            { encoder in
                var outer = encoder.unkeyedContainer()
                var list = outer.nestedUnkeyedContainer()
                try outer.encode("x")
                var object = list.nestedContainer(keyedBy: Key.self)
                try outer.encode("y")
                try object.encode(true, forKey: .a)
                var deeper = object.nestedUnkeyedContainer(forKey: .b)
                try outer.encodeNil()
                try deeper.encode(1.5)
                try list.encode("z")
                try deeper.encode(2.5)
            }
        ),
        (
            "super encoders used in every way",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                let first = outer.superEncoder()
                let second = outer.superEncoder(forKey: .b)
                let third = outer.superEncoder(forKey: .c)
                _ = outer.superEncoder(forKey: .d)
                try outer.encode(0, forKey: .a)
                var list = second.unkeyedContainer()
                try list.encode("in b")
                var scalar = third.singleValueContainer()
                try scalar.encode("in c")
                var object = first.container(keyedBy: Key.self)
                try object.encode("in super", forKey: .e)
                try list.encode("more in b")
            }
        ),
        (
            "super encoder in an array",
            { encoder in
                var outer = encoder.unkeyedContainer()
                let inner = outer.superEncoder()
                try outer.encode(2)
                var scalar = inner.singleValueContainer()
                try scalar.encode(Point())
            }
        ),
        (
            "the same name again",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                try outer.encode(1, forKey: .a)
                try outer.encode(2, forKey: .b)
                try outer.encode("again", forKey: .a)
                try outer.encode([3], forKey: .b)
                try outer.encode(Point(), forKey: .c)
                try outer.encodeNil(forKey: .c)
            }
        ),
        (
            "the same name alone, twice",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                try outer.encode(1, forKey: .a)
                try outer.encode(2, forKey: .a)
            }
        ),
        (
            "two keyed containers of one encoder",
            { encoder in
                var first = encoder.container(keyedBy: Key.self)
                try first.encode(1, forKey: .a)
                var second = encoder.container(keyedBy: Key.self)
                try second.encode(2, forKey: .b)
                try first.encode(3, forKey: .c)
            }
        ),
        (
            "a failing value that is passed over",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                try outer.encode(1, forKey: .a)
                try? outer.encode(Failing(), forKey: .b)
                try? outer.encode(Double.nan, forKey: .d)
                try outer.encode(2, forKey: .c)
                var list = outer.nestedUnkeyedContainer(forKey: .e)
                try? list.encode(Failing())
                try? list.encode(Float.infinity)
                try list.encode("end")
            }
        ),
        (
            "empty containers",
            { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                _ = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                _ = outer.nestedUnkeyedContainer(forKey: .b)
                try outer.encode([String: Int](), forKey: .c)
            }
        ),
        (
            "single values within single values",
            { encoder in
                var container = encoder.singleValueContainer()
                try container.encode(
                    Scripted { inner in
                        var container = inner.singleValueContainer()
                        try container.encode([Point()])
                    })
            }
        ),
    ]

    @Test(arguments: scripts.indices)
    func orderOfWritingMakesNoDifference(index: Int) throws {
        let (name, script) = Self.scripts[index]
        let text: [UInt8] = try WireJSONEncoder().encode(Scripted(script: script))
        let data = try JSONEncoder().encode(Scripted(script: script))
        #expect(try JSONValue(parsing: text) == JSONValue(parsing: Array(data)), "\(name)")
        let nested: [UInt8] = try WireJSONEncoder().encode(["k": [Scripted(script: script), Scripted(script: script)]])
        let nestedData = try JSONEncoder().encode(["k": [Scripted(script: script), Scripted(script: script)]])
        #expect(try JSONValue(parsing: nested) == JSONValue(parsing: Array(nestedData)), "\(name), nested")
    }

    @Test func membersAreWrittenInOrderOfEncodingWithoutSpace() throws {
        struct Model: Encodable { var z = 1, a = ["/", "é"], m: Int? = nil, b = Point() }
        let text: [UInt8] = try WireJSONEncoder().encode(Model())
        #expect(String(decoding: text, as: UTF8.self) == #"{"z":1,"a":["\/","é"],"b":{"x":1,"y":2}}"#)
    }

    @Test func manyNamesStayApart() throws {
        let table = Dictionary(uniqueKeysWithValues: (0..<2000).map { ("key \($0)", $0) })
        try expectSameCoding(table)
    }

    @Test func bufferStaysAsItWasWhenEncodingFails() throws {
        var bytes = Array("start".utf8)
        #expect(throws: Failing.Failure.self) { try WireJSONEncoder().encode([Failing()], into: &bytes) }
        #expect(throws: EncodingError.self) { try WireJSONEncoder().encode([1, Double.nan], into: &bytes) }
        #expect(String(decoding: bytes, as: UTF8.self) == "start")
        try WireJSONEncoder().encode([1], into: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "start[1]")
    }

    @Test func misuseIsAnErrorAndNoTrap() {
        final class Keeper: @unchecked Sendable {  // Used by one task alone.
            var container: (any UnkeyedEncodingContainer)?
        }
        let keeper = Keeper()
        let escaping = Scripted { encoder in
            var outer = encoder.unkeyedContainer()
            try outer.encode(Scripted { keeper.container = $0.unkeyedContainer() })
            try keeper.container?.encode("too late")
        }
        #expect(throws: EncodingError.self) { try WireJSONEncoder().encode(escaping) as [UInt8] }
        let twice = Scripted { encoder in
            var list = encoder.unkeyedContainer()
            try list.encode(1)
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(1, forKey: .a)
        }
        #expect(throws: EncodingError.self) { try WireJSONEncoder().encode(twice) as [UInt8] }
        let nothing = Scripted { _ in }
        #expect(throws: EncodingError.self) { try WireJSONEncoder().encode(nothing) as [UInt8] }
    }

    @Test func errorPathLeadsToTheValue() {
        struct Outer: Encodable { var list = [["k": [1.0, .nan]]] }
        let error = #expect(throws: EncodingError.self) { try WireJSONEncoder().encode(Outer()) as [UInt8] }
        guard case .invalidValue(_, let context) = error else {
            Issue.record("expected EncodingError.invalidValue, got \(String(describing: error))")
            return
        }
        #expect(Verdict<Int>.path(context.codingPath) == ".list[0].k[1]")
    }

    @Test func decoderThatIsKeptReadsOn() throws {
        struct Kept: Decodable {
            var decoder: any Decoder
            init(from decoder: any Decoder) throws { self.decoder = decoder }
        }
        var bytes = Array(#"{"name":"a long enough string to live outside"}"#.utf8)
        let kept = try WireJSONDecoder().decode(Kept.self, from: bytes)
        for index in bytes.indices { bytes[index] = 0x20 }
        bytes = []
        #expect(try [String: String](from: kept.decoder) == ["name": "a long enough string to live outside"])
    }

    @Test func rawJSONPassesThroughBothWaysUnparsed() throws {
        struct Model: Codable, Equatable { var raw: RawJSON, rest: [RawJSON], value: JSONValue }
        let text =
            #"{"raw":{ "b" : 1.00, "a":[ ] },"rest":["\u0041", null ,1e2],"value":{"z":1e400,"a":18446744073709551615}}"#
        let model = try WireJSONDecoder().decode(Model.self, from: Array(text.utf8))
        #expect(model.raw.text == #"{ "b" : 1.00, "a":[ ] }"#)
        #expect(model.rest.map(\.text) == ["\"\\u0041\"", "null", "1e2"])
        let written: [UInt8] = try WireJSONEncoder().encode(model)
        #expect(String(decoding: written, as: UTF8.self) == text.replacingOccurrences(of: " null ", with: "null"))
        #expect(try WireJSONDecoder().decode(Model.self, from: Data(text.utf8)) == model)
    }

    @Test func dictionaryThatFailsToEncodeLeavesNothingBehind() throws {
        struct Outer: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(1)
                try? container.encode(["a": [1.5, .infinity]])
                try? container.encode([["b": Double.nan]])
                try container.encode(2)
            }
        }
        let text: [UInt8] = try WireJSONEncoder().encode(Outer())
        #expect(String(decoding: text, as: UTF8.self) == "[1,2]")
    }
}
