// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
import TestSupport
import TestTurns
import Testing

@Suite("Words and lists of fields", .inTurn)
struct FieldTextTests {
    @Test func tokensHaveTheCharactersOfTheSpecification() {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        for byte in UInt8.min...UInt8.max {
            let isAlphanumeric = byte < 0x80 && Character(Unicode.Scalar(byte)).isASCIIAlphanumeric
            #expect(FieldText.isTokenByte(byte) == (isAlphanumeric || marks.contains(byte)), "\(byte)")
            #expect(FieldText.isLetterOrDigit(byte) == isAlphanumeric, "\(byte)")
            let digit = byte < 0x80 ? Character(Unicode.Scalar(byte)).hexDigitValue : nil
            #expect(FieldText.hexDigit(byte).map { Int($0) } == digit, "\(byte)")
        }
        #expect(FieldText.isToken("Sec-WebSocket-Key") && FieldText.isToken("*"))
        for text in ["", "a b", "a\t", "é", "a/b", "\"a\"", "a\u{0}", "a="] { #expect(!FieldText.isToken(text)) }
    }

    @Test func onlySpacesAndTabsAreTrimmed() {
        #expect(FieldText.trimming(" \t a \t b\t "[...]) == "a \t b")
        #expect(FieldText.trimming("\r\na\u{A0}"[...]) == "\r\na\u{A0}")
        #expect(FieldText.trimming(" \t"[...]).isEmpty && FieldText.trimming(""[...]).isEmpty)
    }

    private static let words: [(String, String?)] = [
        ("a", "a"), (#""a b""#, "a b"), ("\"\"", ""), (#""\"\\\a""#, #""\a"#), ("\"é\t\"", "é\t"), ("", nil),
        ("a b", nil), ("\"a", nil), (#""a\"#, nil), (#""a\""#, nil), (#""a"b"#, nil), (#"a"b""#, nil),
        ("\"a\r\nb\"", nil), ("\"\u{7F}\"", nil), (" a", nil), ("é", nil),
    ]

    @Test(arguments: words) func wordsAreTokensAndQuotedStrings(text: String, word: String?) {
        #expect(FieldText.word(text[...]) == word)
    }

    @Test(arguments: ["", "a", "a b", #"a"b\c"#, "é", "\t"]) func aQuotedStringIsReadAgain(text: String) {
        #expect(FieldText.word(FieldText.quoted(text)[...]) == text)
        #expect(FieldText.word(FieldText.parameterValue(text)[...]) == text)
    }

    @Test func onlyATokenNeedsNoQuotes() {
        #expect(FieldText.parameterValue("a-b") == "a-b")
        #expect(FieldText.parameterValue("a b") == #""a b""#)
        #expect(FieldText.parameterValue("") == "\"\"")
    }

    private static let lists: [(String, [String])] = [
        ("", []), (" , ,", []), ("a", ["a"]), (" a ,\tb,, c d ", ["a", "b", "c d"]),
        (#"a="b, c", d"#, [#"a="b, c""#, "d"]), (#"a="b\", c", d"#, [#"a="b\", c""#, "d"]),
        (#"a="b, c, d"#, [#"a="b"#, "c", "d"]), (#"a=\", b"#, [#"a=\""#, "b"]), (#"",", a"#, [#"",""#, "a"]),
        (#"a="b\, c"#, [#"a="b\"#, "c"]),
    ]

    @Test(arguments: lists) func listsAreSplitOutsideOfQuotedStrings(value: String, elements: [String]) {
        #expect(FieldText.elements(of: value) == elements)
    }

    @Test func emptyPartsAreKept() {
        #expect(FieldText.parts(of: " a ;; b", at: UInt8(ascii: ";")) == ["a", "", "b"])
        #expect(FieldText.parts(of: "", at: UInt8(ascii: ";")) == [""])
    }

    @Test func numbersAreBounded() {
        #expect(FieldText.number("0042".utf8, limit: 50) == 42)
        #expect(FieldText.number(String(repeating: "9", count: 100_000).utf8, limit: 50) == 50)
        for text in ["", "-1", "1.0", "1 ", "٣"] { #expect(FieldText.number(text.utf8, limit: 50) == nil) }
    }

    /// The time is linear in the length for every text. Quadratic time would be minutes here.
    @Test func longTextsOfQuotesAreSplitInTime() {
        for piece in ["\"", "\\\"", "\",", "a,", "\"\\"] {
            let text = String(repeating: piece, count: 30_000)
            let length = FieldText.parts(of: text, at: UInt8(ascii: ",")).reduce(0) { $0 + $1.utf8.count }
            #expect(length <= text.utf8.count)
        }
    }

    @Test func randomTextsNeverTrap() {
        var random = SeededGenerator(seed: 9110)
        let pieces = ["a", ";", ",", "=", "\"", "\\", " ", "\t", "é", "\u{301}", "\u{0}", "\r\n"]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            for separator in [UInt8(ascii: ","), UInt8(ascii: ";")] {
                for part in FieldText.parts(of: text, at: separator) {
                    // A separator in a part is inside a quoted string.
                    #expect(!part.utf8.contains(separator) || part.utf8.contains(UInt8(ascii: "\"")), "\(text)")
                }
            }
            if let word = FieldText.word(text[...]) {
                #expect(FieldText.word(FieldText.quoted(word)[...]) == word, "\(text)")
            }
        }
    }
}

extension Character {
    fileprivate var isASCIIAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}
