// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

/// Strings are read and written by words. Special bytes must be detected at each position, in strings of each length.
@Suite("Strings by words", .inTurn)
struct StringWordsTests {
    /// Lengths on both sides of a half, one and two words.
    static let lengths = Array(1...20)

    /// Letters with one other byte.
    private static func letters(_ length: Int, _ byte: UInt8, at position: Int) -> [UInt8] {
        (0..<length).map { $0 == position ? byte : UInt8(ascii: "a") + UInt8($0) }
    }

    @Test(arguments: lengths)
    func everyByteOfASCIIIsReadAtEachPlace(length: Int) {
        for position in 0..<length {
            for byte in UInt8(0)..<0x80 where byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
                let content = Self.letters(length, byte, at: position)
                let text = [0x22] + content + [0x22]
                if byte < 0x20 {
                    let error = #expect(throws: JSONSyntaxError.self) { try RawJSON(validating: text) }
                    #expect(error?.reason == .controlCharacter)
                    #expect(error?.offset == position + 1)
                } else {
                    let string = try? WireJSONDecoder().decode([String].self, from: [0x5B] + text + [0x5D])
                    #expect(string == [String(decoding: content, as: UTF8.self)])
                }
            }
        }
    }

    @Test(arguments: lengths)
    func everyByteOfASCIIIsWrittenAtEachPlace(length: Int) throws {
        for position in 0..<length {
            for byte in UInt8(0)..<0x80 {
                let content = Self.letters(length, byte, at: position)
                let string = String(decoding: content, as: UTF8.self)
                for (encoder, escapesSlashes) in [(WireJSONEncoder(), true), (WireJSONEncoder.plainSlashes, false)] {
                    let escaped = content.flatMap { Self.escape($0, escapesSlashes) }
                    let text: [UInt8] = try encoder.encode([string: [string]])
                    #expect(text == Array("{\"".utf8) + escaped + Array("\":[\"".utf8) + escaped + Array("\"]}".utf8))
                }
            }
        }
    }

    /// RFC 8259 §7, byte by byte.
    private static func escape(_ byte: UInt8, _ escapesSlashes: Bool) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "\""): Array(#"\""#.utf8)
        case UInt8(ascii: "\\"): Array(#"\\"#.utf8)
        case UInt8(ascii: "/") where escapesSlashes: Array(#"\/"#.utf8)
        case 0x08: Array(#"\b"#.utf8)
        case 0x09: Array(#"\t"#.utf8)
        case 0x0A: Array(#"\n"#.utf8)
        case 0x0C: Array(#"\f"#.utf8)
        case 0x0D: Array(#"\r"#.utf8)
        case 0..<0x20: Array("\\u00".utf8) + Array((byte < 0x10 ? "0" : "").utf8) + Array(String(byte, radix: 16).utf8)
        default: [byte]
        }
    }

    @Test(arguments: lengths)
    func escapesAreReadAtEachPlace(length: Int) throws {
        for position in 0..<length {
            for (escape, character) in [(#"\n"#, "\n"), (#"\\"#, "\\"), (#"\u00e9"#, "é"), (#"\ud83d\ude80"#, "🚀")] {
                let letters = Self.letters(length, UInt8(ascii: "?"), at: position)
                let pattern = String(decoding: letters, as: UTF8.self)
                // Raw characters of several bytes around the escape, too.
                for around in ["", "日"] {
                    let text = "\"" + pattern.replacing("?", with: around + escape + around) + "\""
                    let expected = pattern.replacing("?", with: around + character + around)
                    #expect(try WireJSONDecoder().decode(String.self, from: Array(text.utf8)) == expected)
                    #expect(try JSONValue(parsing: text) == .string(expected))
                }
            }
        }
    }

    @Test func everyLeadAndSecondByteOfThreeHasTheVerdictOfUnicode() {
        for lead in UInt8(0xE0)...0xEF {
            for second in UInt8(0x7F)...0xC0 {
                for third: UInt8 in [0x7F, 0x80, 0xBF, 0xC0] {
                    let content = [lead, second, third] + Array("after".utf8)
                    let isUnicode = String(validating: content, as: UTF8.self) != nil
                    #expect(((try? RawJSON(validating: [0x22] + content + [0x22])) != nil) == isUnicode, "\(content)")
                }
            }
        }
    }
}
