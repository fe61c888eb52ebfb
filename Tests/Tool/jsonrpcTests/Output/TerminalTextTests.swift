// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestTurns
import Testing

@testable import ToolSupport
@testable import jsonrpc

@Suite(.inTurn) struct TerminalTextTests {
    @Test func everyControlCharacterIsEscaped() {
        var unsafe = (0..<0x20).map { $0 } + (0x7F...0x9F).map { $0 }
        unsafe += [0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E]
        unsafe += [0x2066, 0x2067, 0x2068, 0x2069]
        // Invisible characters could hide a difference between two texts.
        unsafe += [0xAD, 0x200B, 0x2060, 0x3164, 0xFEFF, 0xFFF9, 0xE0001, 0xE0041, 0xE007F]
        for value in unsafe {
            let text = Unicode.Scalar(UInt32(value)).map { "a\($0)b" } ?? ""
            let line = TerminalText.line(text)
            #expect(line.hasPrefix("a\\"))
            #expect(line.hasSuffix("b"))
            #expect(!line.unicodeScalars.contains(where: TerminalText.isUnsafe))
        }
    }

    @Test func otherTextIsKept() {
        let text = "grüße 你好 👩‍👩‍👧 ❤️ می‌خواهم \"\\\""
        #expect(TerminalText.line(text) == text)
        #expect(TerminalText.line(Array(text.utf8)) == text)
    }

    @Test func lineFeedsAreKeptInLaidOutText() {
        #expect(TerminalText.lines("a\nb\tc\r\u{1B}") == "a\nb\tc\\r\\x1b")
        #expect(TerminalText.line("a\nb\tc") == #"a\nb\tc"#)
    }

    @Test func bytesThatAreNotUTF8AreAllShown() {
        #expect(TerminalText.line([0x61, 0x9B, 0xC3, 0xBC, 0x0A, 0x62]) == #"a\x9b\xc3\xbc\nb"#)
    }

    @Test func aSummaryIsOneShortLine() {
        #expect(TerminalText.summary(" a\n\n b\tc\u{9B} ", maximumCharacters: 20) == #"a b c\u009b"#)
        #expect(TerminalText.summary("abcdef", maximumCharacters: 3) == "abc…")
        #expect(TerminalText.summary("abc", maximumCharacters: 3) == "abc")
    }

    @Test func escapedJSONMeansTheSame() throws {
        let text = "[\"a\u{9B}\u{7F}\u{202E}\u{2069}\u{200F}\u{61C}ü\",\"\\u0007\"]"
        let escaped = TerminalText.json(Array(text.utf8))
        #expect(
            String(decoding: escaped, as: UTF8.self)
                == #"["a\u009b\u007f\u202e\u2069\u200f\u061cü","\u0007"]"#)
        #expect(
            try RawJSON(validating: escaped).decode(as: [String].self)
                == RawJSON(validating: text).decode(as: [String].self))
    }

    @Test func charactersBeyondSixteenBitsAreEscapedAsTwo() throws {
        let text = "[\"a\u{E0041}\u{FEFF}👍\"]"
        let escaped = TerminalText.json(Array(text.utf8))
        #expect(String(decoding: escaped, as: UTF8.self) == #"["a\udb40\udc41\ufeff👍"]"#)
        #expect(
            try RawJSON(validating: escaped).decode(as: [String].self)
                == RawJSON(validating: text).decode(as: [String].self))
        #expect(TerminalText.line("a\u{E0041}b") == #"a\udb40\udc41b"#)
    }

    @Test func theBodyOfAPageIsItsText() {
        #expect(TerminalText.visibleText("<p>a&amp;b</p><script>if (a<b) {}</script> c<br") == "a&amp;b c")
        #expect(TerminalText.visibleText("plain < text") == "plain < text")
        #expect(TerminalText.visibleText("<style>unclosed") == "")
    }
}

@Suite(.inTurn) struct JSONColorTests {
    @Test func namesStringsAndOtherValuesDiffer() throws {
        let formatter = JSONFormatter(style: .pretty, colors: true)
        let output = formatter.format(try RawJSON(validating: #"{"a":"x\"","b":[null,{}]}"#))
        let (name, string, literal, end) = ("\u{1B}[34m", "\u{1B}[32m", "\u{1B}[33m", "\u{1B}[0m")
        #expect(
            String(decoding: output, as: UTF8.self) == """
                {
                  \(name)"a"\(end): \(string)"x\\""\(end),
                  \(name)"b"\(end): [
                    \(literal)null\(end),
                    {}
                  ]
                }
                """)
    }
}
