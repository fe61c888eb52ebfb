// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WebSocket

@Suite(.inTurn) struct UTF8StreamTests {
    /// Feeds one byte at a time. Returns the number of bytes after which the text is refused; `nil` if it never is.
    private func refusal(of bytes: [UInt8]) -> (at: Int?, isComplete: Bool) {
        var stream = UTF8Stream()
        for (index, byte) in bytes.enumerated() {
            let isText = [byte].withUnsafeBytes { stream.take($0) }
            if !isText { return (index, false) }
        }
        return (nil, stream.isComplete)
    }

    @Test(arguments: ["", "ascii", "Größe", "日本語", "a😀b日c", "\u{10FFFF}\u{7FF}\u{800}\u{D7FF}\u{E000}"])
    func textIsTextWhereverItIsCut(text: String) {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var stream = UTF8Stream()
            for piece in [bytes[..<cut], [], bytes[cut...]] {
                #expect(Array(piece).withUnsafeBytes { stream.take($0) })
            }
            #expect(stream.isComplete)
        }
        let (at, isComplete) = refusal(of: bytes)
        #expect(at == nil && isComplete)
    }

    @Test(arguments: [
        ([0x41, 0x80], 1), ([0xC0], 0), ([0xC1], 0), ([0xC3, 0x41], 1), ([0xE0, 0x80], 1), ([0xED, 0xA0], 1),
        ([0xF0, 0x80], 1), ([0xF0, 0x9F, 0x41], 2), ([0xF4, 0x90], 1), ([0xF5], 0), ([0xFF], 0),
        ([0xE6, 0x97, 0xA5, 0xBF], 3),
    ])
    func aFaultIsFoundAtItsByte(bytes: [UInt8], at: Int) {
        #expect(refusal(of: bytes).at == at)
        // Also after text in the same piece.
        var stream = UTF8Stream()
        let isText = (Array("0123456789é".utf8) + bytes).withUnsafeBytes { stream.take($0) }
        #expect(!isText)
    }

    @Test(arguments: [[0xC3], [0xE6], [0xE6, 0x97], [0xF0], [0xF0, 0x9F], [0xF0, 0x9F, 0x98], [0xF4, 0x8F]])
    func textThatBreaksOffIsNotComplete(bytes: [UInt8]) {
        let (at, isComplete) = refusal(of: bytes)
        #expect(at == nil && !isComplete)
    }
}
