// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WebSocket

@Suite(.inTurn) struct UTF8CheckTests {
    private func isValid(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { UTF8Check.verdict($0) == .wellFormed } }

    @Test(arguments: ["", "ascii", "Größe", "日本語", "😀", "a😀b日c", "0123456789abcdefé"])
    func wellFormedTextIsValid(text: String) {
        #expect(isValid(Array(text.utf8)))
        // Try each position within a word, too.
        for shift in 0..<9 { #expect(isValid(Array((String(repeating: "x", count: shift) + text).utf8))) }
    }

    /// All sequences of one to three bytes, and those of four around the limits, give the standard library's result.
    @Test func agreesWithTheStandardLibrary() async {
        let interesting: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
            0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        var disagreements: [[UInt8]] = []
        func check(_ bytes: [UInt8]) {
            if isValid(bytes) != (String(validating: bytes, as: UTF8.self) != nil) { disagreements.append(bytes) }
        }
        for a in interesting {
            await Task.yield()
            check([a])
            for b in interesting {
                check([a, b])
                for c in interesting {
                    check([a, b, c])
                    for d in interesting { check([a, b, c, d]) }
                }
            }
        }
        #expect(disagreements == [])
    }
}
