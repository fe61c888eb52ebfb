// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

/// The scanner's results for whole texts.
@Suite("Verdicts on texts", .inTurn)
struct VerdictTests {
    static let accepted: [String] = [
        "null", "true", "false", "0", "-0", "1", "-1", "123456789012345678901234567890", "0.5", "-0.0", "1e5", "1E+5",
        "1e-5", "1.5e10", "0e0", "\"\"", "\"a\"", "\" \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0041\"",
        "\"\\uD83D\\uDE00\"",
        "\"\\uD800\"", "\"\\udc00\\ud800\"", "[]", "[ ]", "{}", "{ }", "[1]", "[1,2]", "[[],[[]],{}]", "{\"a\":1}",
        "{\"a\":1,\"a\":2}", "{\"\":{}}", " \t\r\n[ 1 , 2 ] \n", "\n{ \"a\" : [ true , null ] , \"b\" : { } }\n",
        "\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\"", "\"é日本語👩‍👩‍👧‍👦\"", "\"\\u0000\"",
        "\"0123456701234567\\n0123456701234567é0123456701234567\"",
    ]

    @Test(arguments: accepted)
    func wellFormedTextIsAccepted(text: String) throws {
        _ = try RawJSON(validating: text)
    }

    static let refused: [(String, JSONSyntaxError.Reason, Int)] = [
        ("", .emptyText, 0), (" \n\t", .emptyText, 0),
        ("[", .unexpectedEnd, 1), ("{", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3),
        ("{\"a\"", .unexpectedEnd, 4), ("{\"a\":", .unexpectedEnd, 5), ("{\"a\":1", .unexpectedEnd, 6),
        ("{\"a\":1,", .unexpectedEnd, 7), ("\"abc", .unexpectedEnd, 4), ("\"\\", .unexpectedEnd, 2),
        ("\"\\u12", .unexpectedEnd, 5), ("tru", .unexpectedEnd, 3), ("-", .unexpectedEnd, 1),
        ("1.", .unexpectedEnd, 2), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
        ("]", .expectedValue, 0), ("}", .expectedValue, 0), (",", .expectedValue, 0), (":", .expectedValue, 0),
        ("'a'", .expectedValue, 0), ("+1", .expectedValue, 0), (".5", .expectedValue, 0), ("NaN", .expectedValue, 0),
        ("Infinity", .expectedValue, 0), ("-Infinity", .invalidNumber, 0), ("[1,]", .expectedValue, 3),
        ("[,1]", .expectedValue, 1), ("[1,,2]", .expectedValue, 3), ("{\"a\":}", .expectedValue, 5),
        ("/**/1", .expectedValue, 0), ("é", .expectedValue, 0), ("\u{A0}1", .expectedValue, 0),
        ("\u{C}1", .expectedValue, 0), ("\0", .expectedValue, 0),
        ("{1:2}", .expectedMemberName, 1), ("{a:2}", .expectedMemberName, 1), ("{,}", .expectedMemberName, 1),
        ("{\"a\":1,}", .expectedMemberName, 7), ("{'a':1}", .expectedMemberName, 1),
        ("{\"a\" 1}", .expectedColon, 5), ("{\"a\",1}", .expectedColon, 4), ("{\"a\"}", .expectedColon, 4),
        ("[1 2]", .expectedCommaOrEnd, 3), ("[1}", .expectedCommaOrEnd, 2), ("{\"a\":1]", .expectedCommaOrEnd, 6),
        ("{\"a\":1 \"b\":2}", .expectedCommaOrEnd, 7), ("[1:2]", .expectedCommaOrEnd, 2),
        ("[0x1]", .expectedCommaOrEnd, 2),
        ("[truex]", .expectedCommaOrEnd, 5), ("[1a]", .expectedCommaOrEnd, 2), ("[\"a\"\"b\"]", .expectedCommaOrEnd, 4),
        ("True", .expectedValue, 0), ("trux", .invalidLiteral, 0), ("nul1", .invalidLiteral, 0),
        ("falsE", .invalidLiteral, 0), ("[tru]", .invalidLiteral, 1),
        ("01", .invalidNumber, 0), ("-01", .invalidNumber, 0), ("00", .invalidNumber, 0), ("-a", .invalidNumber, 0),
        ("1.e5", .invalidNumber, 0), ("1.a", .invalidNumber, 0), ("1ex", .invalidNumber, 0), ("[-]", .invalidNumber, 1),
        ("[1.]", .invalidNumber, 1), ("[1e]", .invalidNumber, 1), ("[1e+]", .invalidNumber, 1),
        ("--1", .invalidNumber, 0),
        ("\"\\a\"", .invalidEscape, 1), ("\"\\'\"", .invalidEscape, 1), ("\"\\u12G4\"", .invalidEscape, 1),
        ("\"\\U0041\"", .invalidEscape, 1), ("\"\\é\"", .invalidEscape, 1), ("\"\\\0\"", .invalidEscape, 1),
        ("\"\\u 041\"", .invalidEscape, 1), ("\"\\x41\"", .invalidEscape, 1),
        ("\"\n\"", .controlCharacter, 1), ("\"a\tb\"", .controlCharacter, 2), ("\"\0\"", .controlCharacter, 1),
        ("\"12345678\u{1F}\"", .controlCharacter, 9),
        ("1 2", .trailingContent, 2), ("{}{}", .trailingContent, 2), ("[]]", .trailingContent, 2),
        ("null,", .trailingContent, 4), ("1\0", .trailingContent, 1), ("\"a\" x", .trailingContent, 4),
        ("1.5.5", .trailingContent, 3), ("1e5e5", .trailingContent, 3), ("0x1", .trailingContent, 1),
        ("\u{FEFF}{}", .byteOrderMark, 0), ("{}\u{FEFF}", .trailingContent, 2),
    ]

    @Test(arguments: refused)
    func malformedTextIsRefusedWithReasonAndPlace(text: String, reason: JSONSyntaxError.Reason, offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try RawJSON(validating: text) }
        #expect(error?.reason == reason)
        #expect(error?.offset == offset)
        // The tree builder is a second reader of the same texts, with the same results.
        let other = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(other == error)
    }

    @Test func errorTellsLineAndColumnInBytes() {
        let error = #expect(throws: JSONSyntaxError.self) { try RawJSON(validating: "{\r\n  \"é\": [1,\n 2,]}") }
        #expect(error?.line == 3)
        #expect(error?.column == 4)
        #expect(error?.description == "The text is not valid JSON: expected a value at line 3, column 4 (byte 18).")
    }

    @Test(arguments: [1, 7, 8, 63, 64, 65, 127, 128, 129, 511, 512])
    func nestingUpToTheLimitIsAccepted(depth: Int) throws {
        for text in Self.nestings(depth) {
            #expect(try RawJSON(validating: text).text == text)
            #expect(try JSONValue(parsing: text).description == text)
        }
    }

    @Test(arguments: [513, 514, 100_000])
    func nestingBeyondTheLimitIsRefused(depth: Int) {
        for text in Self.nestings(depth) {
            let error = #expect(throws: JSONSyntaxError.self) { try RawJSON(validating: text) }
            #expect(error?.reason == .nestingTooDeep)
            let other = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
            #expect(other == error)
        }
    }

    @Test func depthLimitIsConfigurable() throws {
        let limits = JSONLimits(maximumDepth: 2)
        _ = try RawJSON(validating: "[[1],{}]", limits: limits)
        let error = #expect(throws: JSONSyntaxError.self) {
            try RawJSON(validating: "[[1],{\"a\":[]}]", limits: limits)
        }
        #expect(error?.reason == .nestingTooDeep)
        #expect(error?.offset == 10)
        _ = try RawJSON(validating: "1", limits: JSONLimits(maximumDepth: 0))
        #expect(throws: JSONSyntaxError.self) { try RawJSON(validating: "[]", limits: JSONLimits(maximumDepth: -1)) }
    }

    @Test func deepestPermittedTreeIsBuiltComparedAndReleased() throws {
        let depth = JSONLimits.largestMaximumDepth
        let limits = JSONLimits(maximumDepth: .max)
        #expect(limits.maximumDepth == depth)
        for text in Self.nestings(depth) {
            let value = try JSONValue(parsing: text, limits: limits)
            #expect(try value == JSONValue(parsing: text, limits: limits))
            #expect(Set([value, value]).count == 1)
        }
    }

    static func nestings(_ depth: Int) -> [String] {
        let object = String(repeating: "{\"a\":", count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1)
        let array = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let mixed = (0..<depth).map { $0.isMultiple(of: 3) ? "{\"k\":" : "[" }.joined() + "0"
        let closings = (0..<depth).reversed().map { $0.isMultiple(of: 3) ? "}" : "]" }.joined()
        return [object, array, mixed + closings]
    }
}
