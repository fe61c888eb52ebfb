// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON

@Suite("Codable shapes, as Foundation's coders have them", .inTurn)
struct CodableShapesTests {
    struct Flat: Codable, Equatable {
        var text = "a/b \"é\" \u{1} 😀"
        var integer = -42
        var double = 1.5
        var flag = true
        var missing: String?
        var present: Int? = 7
        var list = [1, 2, 3]
        var names = ["x", ""]
        var doubles = [0.1, -2]
        var table = ["k": [1: "one"]]
        var i8 = Int8.min, i16 = Int16.max, i32 = Int32.min, i64 = Int64.max
        var u = UInt.max, u8 = UInt8.max, u16 = UInt16.max, u32 = UInt32.max, u64 = UInt64.max
        var float: Float = 0.1
    }

    enum Payload: Codable, Equatable {
        case none
        case one(Int)
        case pair(String, value: Double)
    }

    enum Color: String, Codable, CaseIterable { case red, green }
    enum Level: Int, Codable { case low = 1, high }

    struct Tree: Codable, Equatable {
        var name: String
        var children: [Tree] = []
    }

    class Animal: Codable {
        var name: String
        init(name: String) { self.name = name }
    }

    /// A subclass whose superclass has an object of its own.
    final class Dog: Animal, Equatable {
        var barks: Bool
        enum CodingKeys: String, CodingKey { case barks, after }
        init(name: String, barks: Bool) {
            self.barks = barks
            super.init(name: name)
        }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            barks = try container.decode(Bool.self, forKey: .barks)
            try super.init(from: try container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            let inner = container.superEncoder()
            try container.encode(barks, forKey: .barks)
            try super.encode(to: inner)
            try container.encode("later", forKey: .after)
        }
        static func == (left: Dog, right: Dog) -> Bool { left.name == right.name && left.barks == right.barks }
    }

    /// A subclass that writes into its superclass's object.
    final class Cat: Animal, Equatable {
        var lives: Int
        enum CodingKeys: String, CodingKey { case lives, name }
        init(name: String, lives: Int) {
            self.lives = lives
            super.init(name: name)
        }
        required init(from decoder: any Decoder) throws {
            lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("to be replaced", forKey: .name)
            try container.encode(lives, forKey: .lives)
            try super.encode(to: encoder)
        }
        static func == (left: Cat, right: Cat) -> Bool { left.name == right.name && left.lives == right.lives }
    }

    /// Reads the same value in two ways.
    enum IntOrText: Codable, Equatable {
        case int(Int), text(String)
        init(from decoder: any Decoder) throws {
            if let int = try? Int(from: decoder) {
                self = .int(int)
            } else {
                self = .text(try decoder.singleValueContainer().decode(String.self))
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .int(let int): try container.encode(int)
            case .text(let text): try container.encode(text)
            }
        }
    }

    struct Wrapper<T: Codable & Equatable>: Codable, Equatable {
        var value: T
    }

    struct Empty: Codable, Equatable {}

    @Test func structsAndScalars() throws {
        try expectSameCoding(Flat())
        try expectSameCoding([Flat(), Flat(missing: "here")])
        try expectSameCoding(Wrapper(value: Empty()))
        try expectSameCoding([Empty(), Empty()])
        try expectSameCoding(Empty())
        try expectSameCoding(Wrapper(value: Wrapper(value: [Wrapper(value: 1)])))
    }

    @Test func topLevelFragments() throws {
        try expectSameCoding(1)
        try expectSameCoding("text/é\n")
        try expectSameCoding(true)
        try expectSameCoding(2.5)
        try expectSameCoding(Float(0.1))
        try expectSameCoding(UInt64.max)
        try expectSameCoding([1, -2])
        try expectSameCoding([0.5, 1e300, Double.leastNonzeroMagnitude, 100])
        try expectSameCoding(["", "a"])
        try expectSameCoding([Int]())
        try expectSameCoding([String: Int]())
        try expectSameCoding(Date(timeIntervalSinceReferenceDate: 1.25))
        try expectSameCoding(URL(string: "https://example.com/a?b=c"))
        try expectSameCoding(Data([1, 2, 255]))
        try expectSameCoding(Int128.max)
        try expectSameCoding(UInt128.max)
    }

    @Test func optionalsNullsAndMissingMembers() throws {
        try expectSameCoding([1, nil, 3] as [Int?])
        try expectSameCoding(["a": nil, "b": 2] as [String: Int?])
        try expectSameCoding(Wrapper<Int??>(value: .some(.some(1))))
        try expectSameCoding(Wrapper<[Int?]?>(value: [nil]))
        for text in [#"{"value":null}"#, "{}", #"{"value":1}"#, #"{"value":[null]}"#, "null", "[]", #"{"value":"x"}"#] {
            expectSameDecoding(Wrapper<Int?>.self, text)
            expectSameDecoding(Wrapper<Int??>.self, text)
            expectSameDecoding(Wrapper<[Int?]>.self, text)
            expectSameDecoding(Wrapper<String>.self, text)
            expectSameDecoding(Wrapper<Empty>.self, text)
            expectSameDecoding(Optional<Int>.self, text)
            expectSameDecoding([Int].self, text)
        }
    }

    @Test func enums() throws {
        try expectSameCoding([Payload.none, .one(1), .pair("x", value: 0.5)])
        try expectSameCoding(Color.allCases)
        try expectSameCoding([Level.low, .high])
        try expectSameCoding([Color.red: 1, .green: 2])
        try expectSameCoding([Level.low: [1]])
        expectSameDecoding(Color.self, "\"blue\"")
        expectSameDecoding([Color: Int].self, "[\"red\",1,\"green\"]")
        expectSameDecoding(Payload.self, #"{"one":{"_0":1},"none":{}}"#)
        expectSameDecoding(Payload.self, "{}")
        expectSameDecoding(Payload.self, #"{"two":{}}"#)
    }

    @Test func dictionaries() throws {
        try expectSameCoding([1: "a", -2: "b"])
        try expectSameCoding(["": "empty", "a\"b": "quoted", "é": "accent"])
        try expectSameCoding(["outer": ["inner": [1.5]]])
        expectSameDecoding([Int: String].self, #"{"1":"a","x":"b"}"#)
        expectSameDecoding([String: Int].self, #"{"a":"x"}"#)
    }

    @Test func recursionAndClassInheritance() throws {
        try expectSameCoding(
            Tree(name: "a", children: [Tree(name: "b", children: [Tree(name: "c")]), Tree(name: "d")]))
        try expectSameCoding(Dog(name: "Rex", barks: true))
        try expectSameCoding([Dog(name: "Rex", barks: true), Dog(name: "", barks: false)])
        try expectSameCoding(Cat(name: "Tom", lives: 9))
        expectSameDecoding(Dog.self, #"{"barks":true}"#)
        expectSameDecoding(Dog.self, #"{"barks":true,"super":{}}"#)
        expectSameDecoding(Dog.self, #"{"barks":true,"super":[]}"#)
    }

    @Test func valuesReadInTwoWays() throws {
        try expectSameCoding([IntOrText.int(1), .text("x")])
        expectSameDecoding([IntOrText].self, "[1,\"x\",true]")
    }

    @Test func foundationTypes() throws {
        try expectSameCoding(Wrapper(value: UUID()))
        try expectSameCoding(Wrapper(value: Decimal(string: "12345678901234567890.123456789")))
        try expectSameCoding(Wrapper(value: try #require(URL(string: "/a/b"))))
        try expectSameCoding(Wrapper(value: Date(timeIntervalSinceReferenceDate: 700_000_000.125)))
        try expectSameCoding(Wrapper(value: Data("any bytes".utf8)))
        try expectSameCoding(Wrapper(value: Set([3])))
        try expectSameCoding(Wrapper(value: 1..<5))
        try expectSameCoding(Wrapper(value: IndexSet(integersIn: 2...4)))
        try expectSameCoding(Wrapper(value: DateComponents(year: 2026, month: 2)))
        try expectSameCoding(Wrapper(value: Locale(identifier: "de_DE")))
        expectSameDecoding(Wrapper<URL>.self, #"{"value":""}"#)
        expectSameDecoding(Wrapper<Data>.self, #"{"value":"%%"}"#)
        expectSameDecoding(Wrapper<UUID>.self, #"{"value":"x"}"#)
        expectSameDecoding(Wrapper<Decimal>.self, #"{"value":"x"}"#)
        for type in ["null", "1", "[]"] {
            expectSameDecoding(Wrapper<URL>.self, "{\"value\":\(type)}")
            expectSameDecoding(Wrapper<Data>.self, "{\"value\":\(type)}")
            expectSameDecoding(Wrapper<Date>.self, "{\"value\":\(type)}")
            expectSameDecoding(Wrapper<Decimal>.self, "{\"value\":\(type)}")
        }
    }

    @Test func errorsHaveFoundationsKindAndPath() {
        struct Inner: Codable, Equatable { var count: Int8; var items: [Wrapper<Double>] }
        struct Outer: Codable, Equatable { var inner: [Inner] }
        for text in [
            "", " ", "{", "[1,2", "nul", "\"\\ud800\"", "1 2", "{}", "[]", "null", "5", #"{"inner":null}"#,
            #"{"inner":[]}"#, #"{"inner":[{}]}"#, #"{"inner":[{"count":1,"items":[]},{"count":300,"items":[]}]}"#,
            #"{"inner":[{"count":-1,"items":[{"value":1},{"value":true}]}]}"#, #"{"inner":[{"count":"1","items":[]}]}"#,
            #"{"inner":[{"count":1.5,"items":[]}]}"#, #"{"inner":[{"count":1,"items":[{"value":null}]}]}"#,
            #"{"inner":[{"count":1,"items":{}}]}"#, #"{"inner":[{"count":1,"items":[{"valu":1}]}]}"#,
            #"{"inner":[{"count":1,"items":[{"value":1e400}]}]}"#, #"{"inner":[{"count":null,"items":[]}]}"#,
            #"{"inner":[7]}"#, #"{"inner":[null]}"#,
        ] {
            expectSameDecoding(Outer.self, text)
        }
    }

    /// Foundation's decoder refuses numbers below the least `Double`, and reads them as the integer 0.
    @Test func numbersNearZeroAreZeroAsDoublesAndNoIntegers() throws {
        #expect(try WireJSONDecoder().decode(Double.self, from: Array("1e-400".utf8)) == 0)
        #expect(try WireJSONDecoder().decode([Double].self, from: Array("[-1e-400]".utf8))[0].sign == .minus)
        #expect(throws: DecodingError.self) { try WireJSONDecoder().decode(Int.self, from: Array("1e-400".utf8)) }
        #expect(try WireJSONDecoder().decode(Int.self, from: Array("9007199254740993.0".utf8)) == 9_007_199_254_740_993)
    }

    @Test func scalarsAreAsStrictAsFoundations() {
        for text in [
            "1", "-1", "0", "-0", "1.0", "1.5", "1e2", "1e-2", "100e-2", "128", "-129", "256", "9223372036854775807",
            "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e400", "-1e400", "1e39",
            "true", "false", "null", "\"1\"", "\"\"", "[]", "{}", "[1]", "123456789012345678901234567890", "0.1",
            "\"\\u0041\\ud83d\\ude00\"", "\"\\u0000\"", "3.4028236e38", "16777217",
        ] {
            expectSameDecoding(Int.self, text)
            expectSameDecoding(Int8.self, text)
            expectSameDecoding(UInt8.self, text)
            expectSameDecoding(UInt64.self, text)
            expectSameDecoding(Double.self, text)
            expectSameDecoding(Float.self, text)
            expectSameDecoding(Bool.self, text)
            expectSameDecoding(String.self, text)
            expectSameDecoding([Int].self, text)
            expectSameDecoding([Double].self, "[\(text)]")
            expectSameDecoding([String].self, "[\(text)]")
            expectSameDecoding([Int].self, "[\(text)]")
            expectSameDecoding([Wrapper<Int>].self, "[{\"value\":\(text)}]")
        }
    }
}
