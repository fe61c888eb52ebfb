// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import jsonrpc

@Suite(.inTurn) struct LinePlaceTests {
    private func place(_ text: String, _ columns: Int = 10) -> LinePlace {
        LinePlace.after(text.unicodeScalars, columns: columns) {
            switch $0 {
            case "漢": 2
            case "\u{301}": 0
            case "\u{FFFF}": -1
            default: 1
            }
        }
    }

    @Test(arguments: [
        ("", 0, 0), ("abc", 0, 3), ("123456789", 0, 9), ("1234567890", 1, 0), ("12345678901", 1, 1),
        ("漢漢", 0, 4), ("12345678漢", 1, 0), ("123456789漢", 1, 2), ("e\u{301}x", 0, 2), ("\u{1}", 0, 2),
        ("123456789\u{1}", 1, 1), ("a\tb", 0, 9), ("a\nbc", 1, 2), ("\u{FFFF}", 0, 7),
    ])
    func theCursorIsAfterTheText(_ text: String, _ row: Int, _ column: Int) {
        #expect(place(text) == LinePlace(row: row, column: column))
    }

    @Test func aTerminalWithoutColumnsIsNoFault() {
        #expect(place("漢a", 0).row > 0)
        #expect(place("a\t", 1).column == 0)
    }

    @Test func keysAreDecodedAndOtherBytesDropped() {
        var input = UTF8Input()
        func characters(_ bytes: [UInt8]) -> String {
            String(String.UnicodeScalarView(bytes.compactMap { input.add($0) }))
        }
        #expect(characters(Array("aä漢😀".utf8)) == "aä漢😀")
        #expect(characters([0xC3, 0x61, 0x80, 0xFF, 0xE2, 0x82, 0x62, 0xED, 0xA0, 0x80, 0xC0, 0x80, 0x63]) == "abc")
        #expect(characters([0xC3]) == "")
        #expect(characters([0xA4]) == "ä")
    }
}
