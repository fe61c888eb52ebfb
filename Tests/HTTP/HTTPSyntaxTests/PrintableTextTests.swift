// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax
import TestTurns
import Testing

/// Defect 22: text of a peer in an error message is escaped and bounded.
@Suite(.inTurn) struct PrintableTextTests {
    @Test func ordinaryTextStays() {
        for text in ["", "Not Found", "C:\\ \"quoted\"", "größer · 日本語 · 🙂"] {
            #expect(String.printable(text) == text)
            #expect(String.printable(Array(text.utf8)) == text)
        }
    }

    @Test(arguments: [
        ("\u{1B}[31m", "\\u{1B}[31m"), ("a\r\nb\tc\0", "a\\r\\nb\\tc\\0"), ("\u{7F}", "\\u{7F}"),
        ("\u{9B}2J", "\\u{009B}2J"), ("\u{85}", "\\u{0085}"), ("\u{202E}txt", "\\u{202E}txt"),
        ("\u{2066}\u{2069}", "\\u{2066}\\u{2069}"), ("\u{200F}\u{061C}", "\\u{200F}\\u{061C}"),
        ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"), ("\u{FEFF}\u{200B}", "\\u{FEFF}\\u{200B}"),
        ("\u{E000}", "\\u{E000}"),
    ])
    func terminalControlCharactersAreEscaped(_ text: String, _ expected: String) {
        #expect(String.printable(text) == expected)
        #expect(String.printable(Array(text.utf8)) == expected)
    }

    @Test func noControlCharacterIsLeft() {
        let all = (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
        let text = String.printable(String(String.UnicodeScalarView(all)), limit: .max)
        let controls = text.unicodeScalars.filter { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }
        #expect(controls.isEmpty)
        #expect(!text.unicodeScalars.contains { (0x202A...0x202E).contains($0.value) })
    }

    @Test func longTextIsCut() {
        #expect(String.printable("abcdef", limit: 6) == "abcdef")
        #expect(String.printable("abcdefg", limit: 6) == "abcdef…")
        #expect(String.printable([UInt8](repeating: 0x61, count: 1_000_000)).count == String.printableLimit + 1)
        // Any number of combining marks on one letter are one character, but many scalars.
        let marks = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(String.printable(marks).unicodeScalars.count == String.printableLimit + 1)
        #expect(String.printable(Array("🙂🙂🙂🙂".utf8), limit: 3) == "🙂🙂🙂…")
        #expect(String.printable(Array("🙂🙂🙂".utf8), limit: 3) == "🙂🙂🙂")
    }

    @Test func bytesThatAreNoTextAreReplaced() {
        #expect(String.printable([0x9B, 0x41, 0xFF] as [UInt8]) == "\u{FFFD}A\u{FFFD}")
    }
}
