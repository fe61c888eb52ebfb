// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON

@Suite("JSONValue", .inTurn)
struct JSONValueTests {
    @Test func literalsMakeValuesAndLookUpsReadThem() {
        let value: JSONValue = ["name": "disk", "sizes": [1, 2.5], "spare": nil, "on": true]
        #expect(value.name?.stringValue == "disk")
        #expect(value["sizes"]?[1]?.doubleValue == 2.5)
        #expect(value.sizes?[0]?.intValue == 1)
        #expect(value.spare?.isNull == true)
        #expect(value.on?.boolValue == true)
        #expect(value.missing == nil)
        #expect(value.sizes?[2] == nil)
        #expect(value.sizes?[-1] == nil)
        #expect(value.name?.inner == nil)
        #expect(value.description == #"{"name":"disk","sizes":[1,2.5],"spare":null,"on":true}"#)
    }

    @Test func membersAreSetReplacedAndRemovedInOrder() {
        var value: JSONValue = ["a": 1, "b": 2]
        value.c = 3
        value["a"] = "x"
        value.b = nil
        #expect(value.description == #"{"a":"x","c":3}"#)
        var other: JSONValue = 1
        other.a = nil
        #expect(other == 1)
        other.a = [true]
        #expect(other.description == #"{"a":[true]}"#)
    }

    @Test func orderAndLastDuplicateAreKept() throws {
        let value = try JSONValue(parsing: #"{"z":1,"a":2,"z":3}"#)
        #expect(value.description == #"{"z":3,"a":2}"#)
    }

    @Test func namesAreComparedByTheirBytes() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value.objectValue?.count == 2)
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
    }

    @Test(arguments: [0, 1, 12, 13, 14, 1000])
    func objectsOfAnySizeAreLookedUpByName(count: Int) throws {
        var object = JSONObject()
        for index in 0..<count { object["k\(index)"] = .number(JSONNumber(index)) }
        #expect(object.count == count)
        for index in 0..<count { #expect(object["k\(index)"]?.intValue == index) }
        #expect(object["k\(count)"] == nil)
        let reversed = JSONObject(object.reversed())
        #expect(object == reversed)
        #expect(object.hashValue == reversed.hashValue)
        for index in stride(from: 0, to: count, by: 2) { object["k\(index)"] = nil }
        #expect(object.keys == (0..<count).filter { $0 % 2 == 1 }.map { "k\($0)" })
        for index in 0..<count { #expect(object["k\(index)"]?.intValue == (index % 2 == 1 ? index : nil)) }
    }

    static let exactNumbers: [String] = [
        "0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "-9223372036854775809", "0.1", "-0.1", "123.456", "3.141592653589793",
        "3.14159265358979323846264338327950288", "0.1000000000000000055511151231257827",
        "123456789012345678901234567890",
        "1e400", "-1e400", "1e-400", "0.30000000000000004", "5e-324",
    ]

    @Test(arguments: exactNumbers)
    func numbersAreKeptExactly(text: String) throws {
        #expect(try JSONValue(parsing: text).description == text)
        #expect(try JSONValue(parsing: "[\(text)]").description == "[\(text)]")
    }

    static let equalNumbers: [[String]] = [
        ["1", "1.0", "1e0", "10e-1", "0.1e1"], ["0", "-0", "0.0", "-0.0e5", "0e99"], ["100", "1e2", "1E+2"],
        ["18446744073709551615", "18446744073709551615"], ["123456789012345678901", "1.23456789012345678901e20"],
        ["1e400", "10e399", "0.01e402"], ["1e-400", "0.1e-399"], ["1e22", "10000000000000000000000", "1e+22"],
    ]

    @Test(arguments: equalNumbers)
    func numbersAreEqualWhenTheirValuesAre(texts: [String]) throws {
        let values = try texts.map { try JSONValue(parsing: $0) }
        #expect(Set(values).count == 1)
    }

    static let unequalNumbers: [(String, String)] = [
        ("1", "2"), ("9007199254740993", "9007199254740992.0"), ("18446744073709551615", "18446744073709551616"),
        ("0.1", "0.1000000000000000055511151231257827"), ("1e400", "1e401"), ("1e400", "-1e400"), ("1", "-1"),
        ("9223372036854775807", "9223372036854775808"),
    ]

    @Test(arguments: unequalNumbers)
    func numbersThatDifferAreUnequal(left: String, right: String) throws {
        #expect(try JSONValue(parsing: left) != JSONValue(parsing: right))
    }

    @Test func numberReadsOutOnlyWhatItHolds() throws {
        #expect(JSONNumber("1e2")?.int == 100)
        #expect(JSONNumber("1.5")?.int == nil)
        #expect(JSONNumber("18446744073709551615")?.uint64 == .max)
        #expect(JSONNumber("18446744073709551615")?.int64 == nil)
        #expect(JSONNumber("-1")?.uint64 == nil)
        #expect(JSONNumber("1e400")?.double == .infinity)
        #expect(UInt8(exactly: try #require(JSONNumber("256"))) == nil)
        for text in ["", " 1", "1 ", "01", "+1", "1.", "nan", "inf", "0x1", "1_0"] { #expect(JSONNumber(text) == nil) }
        #expect(JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber(Double.nan) == nil)
    }

    @Test func stringsAreEscapedOnlyWhereTheyMustBe() throws {
        let text = "\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é\u{2028}😀"
        let written = JSONValue.string(text).description
        #expect(written == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7F}é\u{2028}😀\"")
        #expect(try JSONValue(parsing: written) == .string(text))
    }

    @Test func foreignCodersSeeTheTree() throws {
        let value: JSONValue = [
            "a": [1, 2.5, "x", nil, true, [:], []], "big": .number(try #require(JSONNumber("18446744073709551615"))),
            "decimal": .number(try #require(JSONNumber("1234567890.12345678901234567"))),
        ]
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
        let raw = try JSONDecoder().decode(RawJSON.self, from: data)
        #expect(try JSONValue(raw) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(raw)) == value)
        let tooLong = JSONValue.number(try #require(JSONNumber("1e400")))
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([tooLong]) }
    }
}
