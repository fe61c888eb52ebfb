// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

@Suite(.inTurn) struct JSONTextTests {
    @Test(arguments: [Int64.min, .min + 1, -10, -1, 0, 1, 9, 10, 99, 100, 1_234_567_890, .max - 1, .max])
    func digitsAreThoseOfTheNumber(number: Int64) {
        var bytes = Array("1:".utf8)
        JSONText.writeInteger(number, into: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "1:\(number)")
    }

    @Test(
        "strings are escaped where RFC 8259 §7 says so, and nowhere else",
        arguments: [
            ("", #""""#), ("plain é 🙂 \u{7F}\u{2028}", "\"plain é 🙂 \u{7F}\u{2028}\""), (#"a"b\c/d"#, #""a\"b\\c/d""#),
            ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#), ("\0\u{1F}", #""\u0000\u001f""#),
            ("long enough for words, then\n", #""long enough for words, then\n""#),
        ])
    func escapes(text: String, written: String) {
        var bytes: [UInt8] = []
        JSONText.writeString(text, into: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == written)
    }
}
