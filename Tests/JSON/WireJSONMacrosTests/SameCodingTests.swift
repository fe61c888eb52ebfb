// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSONMacros

@testable import WireJSON

/// Coders with and without the fast path. A key strategy that changes nothing turns the fast path off.
enum Ways {
    static let decoder = WireJSONDecoder()
    static let encoder = WireJSONEncoder()

    static func throughCodable(_ decoder: WireJSONDecoder = decoder) -> WireJSONDecoder {
        var decoder = decoder
        decoder.keyDecodingStrategy = .custom { $0.last ?? AnyCodingKey(stringValue: "") }
        return decoder
    }

    static func throughCodable(_ encoder: WireJSONEncoder = encoder) -> WireJSONEncoder {
        var encoder = encoder
        encoder.keyEncodingStrategy = .custom { $0.last ?? AnyCodingKey(stringValue: "") }
        return encoder
    }

    /// Whether a text is read as a type without `Codable`.
    static func readsDirectly<T: Decodable>(_ type: T.Type, _ text: [UInt8], _ decoder: WireJSONDecoder = decoder)
        -> Bool
    {
        text.withUnsafeBytes { bytes in
            guard let direct = T.self as? any JSONReadable.Type,
                let scanner = JSONScanner(bytes, limits: decoder.limits)
            else { return false }
            let document = JSONDocument.take(
                scanner, source: nil, options: decoder.options)
            defer { JSONDocument.end(document) }
            guard var reader = document.directReader() else { return false }
            return reads(direct, &reader) && reader.isAtEndOfText()
        }
    }

    private static func reads<T: JSONReadable>(_ type: T.Type, _ reader: inout JSONReader) -> Bool {
        (try? T(reading: &reader)) != nil
    }
}

/// A value, or an error with its description.
func verdict<T>(_ body: () throws -> T) -> Result<T, VerdictError> {
    do {
        return .success(try body())
    } catch {
        return .failure(VerdictError(text: "\(error)"))
    }
}

struct VerdictError: Error, Equatable { var text: String }

/// Encodes and decodes a value both ways. The texts must be the same, and so must the values.
func expectSameCoding<T: Codable & Equatable>(
    _ value: T, isDirect: Bool = true, _ encoder: WireJSONEncoder = Ways.encoder,
    _ decoder: WireJSONDecoder = Ways.decoder,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let text: [UInt8] = try encoder.encode(value)
    let plain: [UInt8] = try Ways.throughCodable(encoder).encode(value)
    #expect(
        String(decoding: text, as: UTF8.self) == String(decoding: plain, as: UTF8.self), sourceLocation: sourceLocation)
    let decoded = try decoder.decode(T.self, from: text)
    #expect(try decoded == Ways.throughCodable(decoder).decode(T.self, from: text), sourceLocation: sourceLocation)
    #expect(
        Ways.readsDirectly(T.self, text, decoder) == isDirect, "\(T.self) is read directly",
        sourceLocation: sourceLocation)
}

@Suite("Generated code beside Codable", .inTurn) struct SameCodingTests {
    static let tree = Tree(name: "a", children: [Tree(name: "b"), Tree(name: "c", children: [Tree(name: "d")])])
    static let required = Required(
        id: 1, name: "n", score: 2.5, isOn: true, tags: ["a", "b"], matrix: [[1, 2], []], note: nil, alias: "x",
        doubly: .some(nil), table: ["a": 1, "b": nil], observed: 4)
    static let known = Known(
        date: Date(timeIntervalSinceReferenceDate: 1.25), maybeDate: nil, data: Data([1, 2, 255]),
        url: URL(filePath: "/a/b"), decimal: 1.5, raw: RawJSON(unchecked: Array("{\"a\":[1]}".utf8)),
        value: ["a": [1, "x", nil]], number: 3, dates: [Date(timeIntervalSinceReferenceDate: 0)])
    static let mixed = Mixed(
        custom: Custom("x", tree: tree), list: [Custom("y")], table: ["k/": Custom("z")],
        inner: [.init(custom: nil, depth: .none), .init(custom: Custom("w"), depth: .nested(.one(3)))], set: [4])
    static let payloads: [Payload] = [
        .none, .one(3), .pair("p", value: 0.5), .maybe(note: nil, nil), .maybe(note: "n", tree),
        .nested(.nested(.pair("", value: -1))),
    ]

    @Test func structures() throws {
        try expectSameCoding(Flat())
        try expectSameCoding([Flat(), Flat(missing: "here")])
        try expectSameCoding(Self.required)
        var other = Self.required
        other.doubly = 5
        try expectSameCoding(other)
        // The source does not show that the member may be missing.
        other.alias = nil
        try expectSameCoding(other, isDirect: false)
        try expectSameCoding(Self.tree)
        for alias in [nil, "y"] {
            let value = Aliases(alias: alias, generic: nil, inParentheses: nil)
            try expectSameCoding(value)
            let text: [UInt8] = try WireJSONEncoder().encode(value)
            #expect(try WireJSONDecoder().decode(Aliases.self, from: text) == value)
        }
        let none = Aliases(alias: nil, generic: nil, inParentheses: nil, integer: 3)
        #expect(try WireJSONDecoder().decode(Aliases.self, from: Array("{}".utf8)) == none)
        #expect(try JSONDecoder().decode(Aliases.self, from: Data("{}".utf8)) == none)
        try expectSameCoding([String: Tree](uniqueKeysWithValues: [("a\u{1}", Self.tree)]))
        try expectSameCoding(Self.known)
        try expectSameCoding(OwnKeys(first: 1, second: "b"))
        try expectSameCoding(Empty(), isDirect: false)
        try expectSameCoding(Space.Inside(kind: .a, kinds: [.b: 1], date: .init()))
        try expectSameCoding([Space.Choice.kind(.a, date: .init()), .choice(.kind(.b, date: nil))])
        try expectSameCoding([Optional(Self.tree), nil])
    }

    @Test func names() throws {
        let value = Renamed(
            userName: "u", myURLProperty: 1, identifier: 2, odd: "o", empty: true, class: "c",
            aMemberWithANameOfManyWords: [1])
        try expectSameCoding(value)
        var encoder = WireJSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys, .prettyPrinted]
        try expectSameCoding(value, encoder)
        let text: [UInt8] = try WireJSONEncoder().encode(value)
        #expect(
            String(decoding: text, as: UTF8.self)
                == #"{"user_name":"u","my_url_property":1,"ID":2,"a\/b \"c\" é":"o","":true,"class":"c","#
                + #""a_member_with_a_name_of_many_words":[1]}"#)
    }

    @Test func enumerations() throws {
        for color in Color.allCases { try expectSameCoding(color) }
        for level in Level.allCases { try expectSameCoding([level]) }
        for payload in Self.payloads { try expectSameCoding(payload) }
        try expectSameCoding([
            RenamedPayload.firstCase(userName: "a", 1), .second, .default(theValue: [.green]),
        ])
        let text: [UInt8] = try WireJSONEncoder().encode(RenamedPayload.firstCase(userName: "a", 1))
        #expect(String(decoding: text, as: UTF8.self) == #"{"first_case":{"userName":"a","_1":1}}"#)
    }

    @Test func typesWithinOthers() throws {
        try expectSameCoding(Self.mixed)
        try expectSameCoding([Self.mixed, Self.mixed])
        try expectSameCoding(
            Outer(trees: [Self.tree], flat: Flat(), table: ["r": Self.required], payload: .one(1)), isDirect: false)
        try expectSameCoding(Choices(choices: [.text("a"), .tree(Self.tree), .text("b")], last: Self.tree))
        try expectSameCoding(Wrapper(value: 1, more: [2]))
        try expectSameCoding(Wrapper(value: Self.tree, more: []))
        try expectSameCoding(Wrapper(value: Wrapper(value: "a", more: []), more: []))
        try expectSameCoding(Wrapper(value: Custom("a"), more: [Custom("b")]), isDirect: false)
    }

    /// Each would retain a copy of the whole text.
    @Test func typesThatKeepTheirDecoder() throws {
        let text = Array(
            "{\"list\":[\(Array(repeating: #"{"name":"a","children":[]}"#, count: 20).joined(separator: ","))]}".utf8)
        #expect(!Ways.readsDirectly(Laters.self, text))
        let value = try WireJSONDecoder().decode(Laters.self, from: text)
        #expect(value.list.map(\.tree) == Array(repeating: Tree(name: "a"), count: 20))
        #expect(value.list.last?.decoder.codingPath.map(\.stringValue) == ["list", "Index 19"])
    }

    @Test func pathsAreThoseOfTheWholeText() throws {
        let text: [UInt8] = try WireJSONEncoder().encode(["k": [Self.mixed]])
        let value = try #require(try WireJSONDecoder().decode([String: [Mixed]].self, from: text)["k"]?.first)
        #expect(value.custom.path == ".k[0].custom")
        #expect(value.list.first?.path == ".k[0].list[0]")
        #expect(value.table["k/"]?.path == ".k[0].table.k/")
        #expect(value.inner.last?.custom?.path == ".k[0].inner[1].custom")
        #expect(value.inner.last?.custom?.text == "w at .k[0].inner[1].custom")
    }

    @Test func strategies() throws {
        var encoder = WireJSONEncoder()
        var decoder = WireJSONDecoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        var value = Self.required
        value.matrix = [[.infinity, -.infinity, 1]]
        try expectSameCoding(value, encoder, decoder)
        let dates: [(WireJSONEncoder.DateEncodingStrategy, WireJSONDecoder.DateDecodingStrategy)] = [
            (.deferredToDate, .deferredToDate), (.secondsSince1970, .secondsSince1970),
            (.millisecondsSince1970, .millisecondsSince1970), (.iso8601, .iso8601),
            (
                .custom { try "at \($0.timeIntervalSince1970) \(Custom.path($1.codingPath))".encode(to: $1) },
                .custom {
                    let text = try String(from: $0)
                    #expect(text.hasSuffix(Custom.path($0.codingPath)))
                    return Date(timeIntervalSince1970: Double(text.split(separator: " ")[1]) ?? 0)
                }
            ),
        ]
        for (encoding, decoding) in dates {
            encoder.dateEncodingStrategy = encoding
            decoder.dateDecodingStrategy = decoding
            for data in [true, false] {
                encoder.dataEncodingStrategy = data ? .base64 : .deferredToData
                decoder.dataDecodingStrategy = data ? .base64 : .deferredToData
                var value = Self.known
                value.maybeDate = Date(timeIntervalSince1970: 86400)
                value.date = Date(timeIntervalSince1970: 1_700_000_000)
                try expectSameCoding(value, encoder, decoder)
            }
        }
    }

    @Test func valuesThatJSONHasNot() {
        var value = Self.required
        value.matrix = [[1], [2, .nan]]
        let error = verdict { try WireJSONEncoder().encode([value]) as [UInt8] }
        #expect(error == verdict { try Ways.throughCodable().encode([value]) as [UInt8] })
        #expect("\(error)".contains("matrix"))
        // The failure leaves nothing behind.
        var bytes = Array("[".utf8)
        _ = try? WireJSONEncoder().encode([value], into: &bytes)
        #expect(bytes == Array("[".utf8))
    }

    @Test func defaultsOfMissingMembers() throws {
        let value = try WireJSONDecoder().decode(
            Flat.self, from: Array(#"{"integer":null,"present":null,"flag":false}"#.utf8))
        var expected = Flat()
        expected.present = nil
        expected.flag = false
        #expect(value == expected)
        #expect(try JSONDecoder().decode(Flat.self, from: Data("{}".utf8)).present == nil)
        #expect(throws: DecodingError.self) { try WireJSONDecoder().decode(Required.self, from: Array("{}".utf8)) }
    }

    /// Foundation's coders use the generated `Codable`.
    @Test func foundation() throws {
        for payload in Self.payloads {
            #expect(try JSONDecoder().decode(Payload.self, from: JSONEncoder().encode(payload)) == payload)
        }
        #expect(try JSONDecoder().decode(Flat.self, from: JSONEncoder().encode(Flat())) == Flat())
        let renamed = RenamedPayload.firstCase(userName: "a", 1)
        #expect(
            try JSONValue(parsing: Array(JSONEncoder().encode(renamed))) == ["first_case": ["userName": "a", "_1": 1]])
    }
}
