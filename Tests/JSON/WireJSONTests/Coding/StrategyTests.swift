// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import TestTurns
import Testing
import WireJSON

/// Each strategy, compared with Foundation's strategy of the same name.
@Suite("Coding strategies", .inTurn)
struct StrategyTests {
    struct Dated: Codable, Equatable {
        var date: Date
        var dates: [Date]
        var table: [String: Date]
        init(_ date: Date) { (self.date, dates, table) = (date, [date, date], ["d": date]) }
    }

    struct Names: Codable, Equatable {
        var simple = 1, oneTwoThree = 2, myURLProperty = 3, _private = 4, trailing_ = 5, HTTPServer = 6, aB = 7
        var nested = ["key_oneTwo": ["innerKey": 8]]
        var iPhone4S = 9, x = 10, already_snake = 11, __two = 12
    }

    @Test func dates() throws {
        let value = Dated(Date(timeIntervalSince1970: 1_700_000_000))
        var (ours, theirs) = ((WireJSONEncoder(), WireJSONDecoder()), (JSONEncoder(), JSONDecoder()))
        try expectSameCoding(value, ours, theirs)
        (ours.0.dateEncodingStrategy, ours.1.dateDecodingStrategy) = (.secondsSince1970, .secondsSince1970)
        (theirs.0.dateEncodingStrategy, theirs.1.dateDecodingStrategy) = (.secondsSince1970, .secondsSince1970)
        try expectSameCoding(value, ours, theirs)
        (ours.0.dateEncodingStrategy, ours.1.dateDecodingStrategy) = (.millisecondsSince1970, .millisecondsSince1970)
        (theirs.0.dateEncodingStrategy, theirs.1.dateDecodingStrategy) = (
            .millisecondsSince1970, .millisecondsSince1970
        )
        try expectSameCoding(value, ours, theirs)
        (ours.0.dateEncodingStrategy, ours.1.dateDecodingStrategy) = (.iso8601, .iso8601)
        (theirs.0.dateEncodingStrategy, theirs.1.dateDecodingStrategy) = (.iso8601, .iso8601)
        try expectSameCoding(value, ours, theirs)
        for text in ["\"2026-02-30T00:00:00Z\"", "\"x\"", "\"\"", "1", "null", "\"2026-01-02T03:04:05+01:00\""] {
            expectSameDecoding([Date].self, "[\(text)]", ours.1, theirs.1)
        }
    }

    @Test func customDatesAndData() throws {
        var (ours, theirs) = ((WireJSONEncoder(), WireJSONDecoder()), (JSONEncoder(), JSONDecoder()))
        let write: @Sendable (Date, any Encoder) throws -> Void = { date, encoder in
            var container = encoder.unkeyedContainer()
            try container.encode(date.timeIntervalSince1970)
            try container.encode(encoder.codingPath.map(\.stringValue))
        }
        let read: @Sendable (any Decoder) throws -> Date = { decoder in
            var container = try decoder.unkeyedContainer()
            return Date(timeIntervalSince1970: try container.decode(Double.self))
        }
        (ours.0.dateEncodingStrategy, ours.1.dateDecodingStrategy) = (.custom(write), .custom(read))
        (theirs.0.dateEncodingStrategy, theirs.1.dateDecodingStrategy) = (.custom(write), .custom(read))
        try expectSameCoding(Dated(Date(timeIntervalSince1970: 12)), ours, theirs)
        ours.0.dateEncodingStrategy = .custom { _, _ in }
        theirs.0.dateEncodingStrategy = .custom { _, _ in }
        let (text, data): ([UInt8], Data) = (try ours.0.encode([Date()]), try theirs.0.encode([Date()]))
        #expect(try JSONValue(parsing: text) == JSONValue(parsing: Array(data)))
    }

    @Test func data() throws {
        let value = ["bytes": Data([0, 1, 250, 255]), "none": Data()]
        var (ours, theirs) = ((WireJSONEncoder(), WireJSONDecoder()), (JSONEncoder(), JSONDecoder()))
        try expectSameCoding(value, ours, theirs)
        (ours.0.dataEncodingStrategy, ours.1.dataDecodingStrategy) = (.deferredToData, .deferredToData)
        (theirs.0.dataEncodingStrategy, theirs.1.dataDecodingStrategy) = (.deferredToData, .deferredToData)
        try expectSameCoding(value, ours, theirs)
    }

    @Test func numbersThatAreNone() throws {
        var (ours, theirs) = ((WireJSONEncoder(), WireJSONDecoder()), (JSONEncoder(), JSONDecoder()))
        #expect(throws: EncodingError.self) { try ours.0.encode([Double.infinity]) as [UInt8] }
        #expect(throws: EncodingError.self) { try ours.0.encode(Float.nan) as [UInt8] }
        let names = (positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
        ours.0.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: names.positiveInfinity, negativeInfinity: names.negativeInfinity, nan: names.nan)
        theirs.0.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: names.positiveInfinity, negativeInfinity: names.negativeInfinity, nan: names.nan)
        ours.1.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: names.positiveInfinity, negativeInfinity: names.negativeInfinity, nan: names.nan)
        theirs.1.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: names.positiveInfinity, negativeInfinity: names.negativeInfinity, nan: names.nan)
        try expectSameCoding([1.5, .infinity, -.infinity], ours, theirs)
        try expectSameCoding(["k": -Float.infinity], ours, theirs)
        #expect(try ours.1.decode(Double.self, from: Array("\"nan\"".utf8)).isNaN)
        expectSameDecoding([Double].self, "[\"other\"]", ours.1, theirs.1)
    }

    @Test func snakeCase() throws {
        var (ours, theirs) = ((WireJSONEncoder(), WireJSONDecoder()), (JSONEncoder(), JSONDecoder()))
        ours.0.keyEncodingStrategy = .convertToSnakeCase
        theirs.0.keyEncodingStrategy = .convertToSnakeCase
        let text: [UInt8] = try ours.0.encode(Names())
        #expect(try JSONValue(parsing: text) == JSONValue(parsing: Array(theirs.0.encode(Names()))))
        struct Plain: Codable, Equatable { var simple: Int, oneTwoThree: Int, aB: Int, nested: [String: [String: Int]] }
        ours.1.keyDecodingStrategy = .convertFromSnakeCase
        theirs.1.keyDecodingStrategy = .convertFromSnakeCase
        expectSameDecoding(Plain.self, String(decoding: text, as: UTF8.self), ours.1, theirs.1)
        for name in ["_a_b_", "__x__y", "_", "___", "a__b", "A_B", "ONE_TWO", "oneTwo_three", "é_à", ""] {
            struct Keys: Decodable, Equatable {
                var names: [String]
                struct Key: CodingKey {
                    var stringValue: String
                    var intValue: Int? { nil }
                    init(stringValue: String) { self.stringValue = stringValue }
                    init?(intValue: Int) { nil }
                }
                init(from decoder: any Decoder) throws {
                    names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue).sorted()
                }
            }
            expectSameDecoding(Keys.self, "{\"\(name)\":1}", ours.1, theirs.1)
        }
        expectSameDecoding(Plain.self, #"{"simple":1,"one_two_three":"x"}"#, ours.1, theirs.1)
    }

    @Test func customKeys() throws {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        var (ours, theirs) = ((WireJSONEncoder(), WireJSONDecoder()), (JSONEncoder(), JSONDecoder()))
        let convert: @Sendable ([any CodingKey]) -> any CodingKey = { path in
            Key(stringValue: String((path.last?.stringValue ?? "").reversed()) + "\(path.count)")
        }
        ours.0.keyEncodingStrategy = .custom(convert)
        theirs.0.keyEncodingStrategy = .custom(convert)
        struct Model: Codable, Equatable { var name = "x", inner = [Inner()] }
        struct Inner: Codable, Equatable { var value = 1 }
        let text: [UInt8] = try ours.0.encode(Model())
        #expect(try JSONValue(parsing: text) == JSONValue(parsing: Array(theirs.0.encode(Model()))))
        let undo: @Sendable ([any CodingKey]) -> any CodingKey = { path in
            Key(stringValue: String((path.last?.stringValue ?? "").dropLast().reversed()))
        }
        ours.1.keyDecodingStrategy = .custom(undo)
        #expect(try ours.1.decode(Model.self, from: text) == Model())
    }

    @Test func formattingIsFoundationsByteForByte() throws {
        struct Model: Codable {
            var b = ["/", "é\n"], a = ["z": 1, "m": 2, "é": 3, "\u{1}": 4], e = [Int](), o = [String: Int]()
        }
        for formatting in [0, 1, 2, 3, 8, 9, 10, 11] as [UInt] {
            let (ours, theirs) = (WireJSONEncoder(), JSONEncoder())
            var our = ours
            our.outputFormatting = .init(rawValue: formatting)
            theirs.outputFormatting = .init(rawValue: formatting)
            // Without sorting, Foundation's order is arbitrary, so one member at a time is compared.
            let values: [any Encodable] = formatting & 2 != 0 ? [Model()] : [Model().b, ["k": Model().e], [Model().o]]
            for value in values {
                let text: [UInt8] = try our.encode(value)
                let expected = String(decoding: try theirs.encode(value), as: UTF8.self)
                #expect(String(decoding: text, as: UTF8.self) == expected, "formatting \(formatting)")
            }
        }
    }

    @Test func userInfoReachesTypes() throws {
        struct Informed: Codable {
            static let key = CodingUserInfoKey(rawValue: "key")
            var text = ""
            init() {}
            init(from decoder: any Decoder) throws { text = Self.key.flatMap { decoder.userInfo[$0] as? String } ?? "" }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(Self.key.flatMap { encoder.userInfo[$0] as? String })
            }
        }
        var (encoder, decoder) = (WireJSONEncoder(), WireJSONDecoder())
        let key = try #require(Informed.key)
        encoder.userInfo[key] = "out"
        decoder.userInfo[key] = "in"
        #expect(try encoder.encode([Informed()]) as [UInt8] == Array("[\"out\"]".utf8))
        #expect(try decoder.decode([Informed].self, from: Array("[1]".utf8))[0].text == "in")
    }

    /// A strategy gets the path to a name. If it converted the names of the path again for each name, each level would
    /// double the calls.
    @Test func customStrategyOfDeepTexts() throws {
        struct Deep: Codable, Equatable {
            var name: String
            var children: [Deep]
        }
        let levels = 16
        let calls = Mutex(0)
        var decoder = WireJSONDecoder()
        decoder.keyDecodingStrategy = .custom { path in
            calls.withLock { $0 += 1 }
            #expect(path.count % 2 == 1)
            return path[path.count - 1]
        }
        let text =
            String(repeating: #"{"name":"n","children":["#, count: levels) + String(repeating: "]}", count: levels)
        var value = try decoder.decode(Deep.self, from: Array(text.utf8))
        var depth = 1
        while let child = value.children.first {
            value = child
            depth += 1
        }
        #expect(depth == levels)
        // 152: each level converts the names of its path once.
        #expect(calls.withLock { $0 } <= levels * levels)
    }
}
