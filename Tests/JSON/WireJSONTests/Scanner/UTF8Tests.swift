// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

@Suite("UTF-8 validation", .inTurn)
struct UTF8Tests {
    /// Every kind of fault of RFC 3629: the bytes inside a string, and the position of the fault.
    static let invalid: [([UInt8], Int)] = [
        ([0x80], 0), ([0xBF], 0), ([0x61, 0x80, 0x61], 1),  // continuation bytes alone
        ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x80, 0x80], 0), ([0xE0, 0x9F, 0xBF], 0),  // overlong forms
        ([0xF0, 0x80, 0x80, 0x80], 0), ([0xF0, 0x8F, 0xBF, 0xBF], 0),
        ([0xED, 0xA0, 0x80], 0), ([0xED, 0xBF, 0xBF], 0),  // surrogates
        ([0xF4, 0x90, 0x80, 0x80], 0), ([0xF5, 0x80, 0x80, 0x80], 0), ([0xF8, 0x88, 0x80, 0x80, 0x80], 0),
        ([0xFE], 0), ([0xFF], 0),
        ([0xC3], 0), ([0xE2, 0x82], 0), ([0xF0, 0x9F, 0x98], 0), ([0xF0], 0),  // cut short by the closing quote
        ([0xC3, 0x28], 0), ([0xE2, 0x28, 0xA1], 0), ([0xE2, 0x82, 0x28], 0), ([0xF0, 0x28, 0x8C, 0xBC], 0),
        ([0xC3, 0xA9, 0xC3, 0xC3, 0xA9], 2), ([0xC3, 0xA9, 0x80], 2),
    ]

    @Test(arguments: invalid)
    func invalidSequenceIsRefusedAtItsPlace(content: [UInt8], fault: Int) {
        // The fault is at each position in a word, and at the end of the text.
        for padding in 0..<17 {
            let before = [UInt8](repeating: 0x61, count: padding)
            for after in [[], [UInt8](repeating: 0x62, count: 9)] {
                let text = [UInt8(ascii: "\"")] + before + content + after + [UInt8(ascii: "\"")]
                let error = #expect(throws: JSONSyntaxError.self) { try RawJSON(validating: text) }
                #expect(error?.reason == .invalidUTF8)
                #expect(error?.offset == 1 + padding + fault)
            }
        }
    }

    @Test func textThatEndsWithinACharacterIsInvalidUTF8() {
        for cut: [UInt8] in [[0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98]] {
            let error = #expect(throws: JSONSyntaxError.self) { try RawJSON(validating: [0x22] + cut) }
            #expect(error?.reason == .invalidUTF8)
            #expect(error?.offset == 1)
        }
    }

    @Test func everyUnicodeScalarPassesRawAndEscaped() async throws {
        for block in stride(from: UInt32(0x20), to: 0x11_0000, by: 0x800) {
            await Task.yield()
            var raw = ""
            var escaped = "\""
            for value in block..<(block + 0x800) {
                guard let scalar = Unicode.Scalar(value) else { continue }
                raw.unicodeScalars.append(scalar)
                for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                    let digits = String(unit, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
            escaped += "\""
            #expect(try JSONValue(parsing: escaped) == .string(raw), "block \(block)")
            let written = JSONValue.string(raw).bytes
            #expect(try JSONValue(parsing: written) == .string(raw), "block \(block)")
            #expect(String(validating: written, as: UTF8.self) != nil)
        }
    }

    @Test(arguments: [
        "\"\\ud800\"", "\"\\udfff\"", "\"a\\ud83d\"", "\"\\ud83d\\n\"", "\"\\ud83d\\ud83d\"", "\"\\ude00\\ud83d\"",
    ])
    func halfASurrogatePairPassesThroughButIsNoString(text: String) throws {
        let raw = try RawJSON(validating: text)
        #expect(raw.text == text)
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(raw) }
        #expect(error?.reason == .unpairedSurrogate)
    }
}
