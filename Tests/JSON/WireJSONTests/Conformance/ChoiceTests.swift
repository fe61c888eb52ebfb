// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

/// Choices that RFC 8259 leaves to the implementation.
@Suite("Choices where RFC 8259 leaves one", .inTurn)
struct ChoiceTests {
    /// Numbers of any size are JSON (section 6) and are kept. Only a type that cannot hold a number refuses it.
    @Test(
        arguments: [
            ("123.456e-789", 0.0), ("123e-10000000", 0.0), ("-1e+9999", nil), ("1.5e+9999", nil),
            ("-123123e100000", nil),
            (
                "0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999969999999006",
                nil
            ),
            ("-123123123123123123123123123123", -1.2312312312312312e29), ("100000000000000000000", 1e20),
            ("-237462374673276894279832749832423479823246327846", -2.374623746732769e47),
            ("1.000000000000000005", 1.0), ("10000000000000000999", 1e19),
        ] as [(String, Double?)])
    func numbersOfAnySizeAreKeptAndFitADoubleOrDoNot(text: String, double: Double?) throws {
        let array = Array("[\(text)]".utf8)
        #expect(try RawJSON(validating: array).text == "[\(text)]")
        let value = try JSONValue(parsing: array)
        #expect(try JSONValue(parsing: value.bytes) == value)
        #expect(value[0]?.numberValue == JSONNumber(text))
        if let double {
            #expect(try WireJSONDecoder().decode([Double].self, from: array) == [double])
        } else {
            #expect(throws: DecodingError.self) { try WireJSONDecoder().decode([Double].self, from: array) }
        }
    }

    /// Half of a surrogate pair is grammatical (section 8.2): it is kept as bytes, but is not a `String`.
    @Test(arguments: [
        #"["\uDADA"]"#, #"["\uD888\u1234"]"#, #"["\uD800\n"]"#, #"["\uDd1ea"]"#, #"["\uD800\uD800\n"]"#, #"["\ud800"]"#,
        #"["\ud800abc"]"#, #"["\uDd1e\uD834"]"#, #"["\uDFAA"]"#, #"["\uD800\uD800\uD800"]"#,
    ])
    func halfASurrogatePairPassesAsBytesAndIsNoString(text: String) throws {
        #expect(try RawJSON(validating: text).text == text)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        let error = #expect(throws: DecodingError.self) {
            try WireJSONDecoder().decode([String].self, from: Array(text.utf8))
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.intValue) == [0])
    }

    @Test func memberWhoseNameIsHalfASurrogatePairIsPassedOver() throws {
        struct Model: Decodable { var a: Int }
        let text = #"{"\uDFAA":0,"a":1}"#
        #expect(try WireJSONDecoder().decode(Model.self, from: Array(text.utf8)).a == 1)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
    }

    /// Section 8.1: only UTF-8 is allowed, and a byte order mark may be refused.
    @Test(
        arguments: [
            ([0xFF, 0xFE, 0x5B, 0x00, 0x22, 0x00, 0xE9, 0x00, 0x22, 0x00, 0x5D, 0x00], .expectedValue),
            ([0x00, 0x5B, 0x00, 0x22, 0x00, 0xE9, 0x00, 0x22, 0x00, 0x5D], .expectedValue),
            ([0x5B, 0x00, 0x22, 0x00, 0xE9, 0x00, 0x22, 0x00, 0x5D, 0x00], .expectedValue),
            ([0xEF, 0xBB, 0xBF, 0x7B, 0x7D], .byteOrderMark), ([0x5B, 0x22, 0xE9, 0x22, 0x5D], .invalidUTF8),
            ([0x5B, 0x22, 0xE6, 0x97, 0xA5, 0xD1, 0x88, 0xFA, 0x22, 0x5D], .invalidUTF8),
            ([0x5B, 0x22, 0xED, 0xA0, 0x80, 0x22, 0x5D], .invalidUTF8), ([0x5B, 0x22, 0x81, 0x22, 0x5D], .invalidUTF8),
            ([0x5B, 0x22, 0xF4, 0xBF, 0xBF, 0xBF, 0x22, 0x5D], .invalidUTF8),
            ([0x5B, 0x22, 0xC0, 0xAF, 0x22, 0x5D], .invalidUTF8), ([0x5B, 0x22, 0xE0, 0xFF, 0x22, 0x5D], .invalidUTF8),
            ([0x5B, 0x22, 0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF, 0x22, 0x5D], .invalidUTF8),
            ([0x5B, 0x22, 0xFC, 0x80, 0x80, 0x80, 0x80, 0x80, 0x22, 0x5D], .invalidUTF8),
            ([0x5B, 0x22, 0xED, 0xA0, 0x80, 0xED, 0xA0, 0x80, 0x22, 0x5D], .invalidUTF8),
        ] as [([UInt8], JSONSyntaxError.Reason)])
    func otherEncodingsAreRefused(bytes: [UInt8], reason: JSONSyntaxError.Reason) {
        let error = #expect(throws: JSONSyntaxError.self) { try RawJSON(validating: bytes) }
        #expect(error?.reason == reason)
        ConformanceTests.expect(.refused, bytes, "\(bytes)")
    }

    /// Section 9 allows a limit on nesting: 512 by default.
    @Test func fiveHundredNestedArraysAreAccepted() {
        let text = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        ConformanceTests.expect(.accepted, Array(text.utf8), "500 arrays")
    }

    /// Section 4 does not define the meaning of a repeated name. The last one counts, in all readers.
    @Test func lastOfTwoMembersWithOneNameCounts() throws {
        struct Model: Decodable { var a: Int }
        for (text, last) in [
            (#"{"a":1,"a":2}"#, 2), (#"{"a":1,"a":1}"#, 1), (#"{"a":0, "a":-0}"#, 0), (#"{"a":1,"\u0061":3}"#, 3),
            (#"{"\u0061":1,"b":0,"a":4,"c":0}"#, 4), (#"{"a":null,"a":5}"#, 5),
        ] {
            let bytes = Array(text.utf8)
            #expect(try WireJSONDecoder().decode(Model.self, from: bytes).a == last, "\(text)")
            #expect(try JSONValue(parsing: bytes).a?.intValue == last, "\(text)")
            #expect(try WireJSONDecoder().decode([String: Int?].self, from: bytes)["a"] == last, "\(text)")
            var strict = WireJSONDecoder()
            strict.duplicateMemberStrategy = .refuse
            #expect(throws: DecodingError.self, "\(text)") { try strict.decode(Model.self, from: bytes) }
        }
        var strict = WireJSONDecoder()
        strict.duplicateMemberStrategy = .refuse
        #expect(try strict.decode(Model.self, from: Array(#"{"a":1,"b":{"a":2}}"#.utf8)).a == 1)
    }

    /// Section 8.3: names are compared code unit by code unit, so these differ.
    @Test func composedAndDecomposedNamesDiffer() throws {
        for text in ["{\"\u{E9}\":\"NFC\",\"e\u{301}\":\"NFD\"}", "{\"e\u{301}\":\"NFD\",\"\u{E9}\":\"NFC\"}"] {
            let value = try JSONValue(parsing: text)
            #expect(value["\u{E9}"] == "NFC")
            #expect(value["e\u{301}"] == "NFD")
            #expect(value.description == text)
        }
    }

    @Test func integersAreExactToTheEdges() throws {
        #expect(try WireJSONDecoder().decode([Int64].self, from: Array("[-9223372036854775808]\n".utf8)) == [.min])
        #expect(try JSONValue(parsing: "[9223372036854775808]")[0]?.numberValue?.uint64 == 9_223_372_036_854_775_808)
        #expect(try JSONValue(parsing: "[1000000000000000]").description == "[1000000000000000]")
        #expect(try WireJSONDecoder().decode([String].self, from: Array(#"["A\u0000B"]"#.utf8)) == ["A\0B"])
    }
}
