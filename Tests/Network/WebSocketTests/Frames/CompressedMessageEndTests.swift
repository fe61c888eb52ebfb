// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import TestTurns
import Testing

@testable import WebSocket

/// Number 1: correct and incorrect ends of compressed messages (RFC 7692 §7.2.1).
@Suite(.inTurn) struct CompressedMessageEndTests {
    /// Reads compressed text messages with these payloads. Returns their texts, or the close code of the violation.
    private func read(_ payloads: [[UInt8]]) -> [String] {
        var reader = FrameReader(
            isMasked: false, maximumMessageBytes: 1 << 20, validatesText: true,
            deflate: PermessageDeflate(answer: "permessage-deflate"))
        var bytes = payloads.flatMap { RawFrame(RawFrame.Opcode.text, $0, reserved: 4).bytes }
        return bytes.withUnsafeMutableBytes { buffer in
            var input = buffer
            var seen: [String] = []
            while true {
                switch reader.next(&input) {
                case .message(let content, let isBinary):
                    seen.append(
                        String(decoding: InboundMessage(content: content, isBinary: isBinary).bytes, as: UTF8.self))
                case .violation(let violation): seen.append("\(violation.closeCode.rawValue)")
                default: return seen
                }
            }
        }
    }

    private static let text = "It was the best of times, it was the worst of times."

    @Test(arguments: 0...60) func aTruncatedMessageIsNotDelivered(missing: Int) {
        let payload = MessageCompressor().payload(Array(Self.text.utf8))
        guard missing > 0 else { return #expect(read([payload, [0]]) == [Self.text, ""]) }
        #expect(read([Array(payload.dropLast(missing)), [0]]) == ["1007"])
    }

    /// This byte string made libwebsockets abort the process.
    @Test func theMessageWithoutAnEndIsNotDelivered() {
        let payload: [UInt8] = [
            0xEC, 0xC1, 0xB1, 0, 0, 0, 0, 0x02, 0x30, 0x97, 0xCC, 0xF2, 0x97, 0x08, 0xA2, 0x77, 0x5B, 0x0A, 0, 0,
        ]
        #expect(read([payload, [0]]) == ["1007"])
    }

    @Test(arguments: [0, 1, 7, 1000]) func everyWayToEndAMessageIsTaken(count: Int) {
        let compressor = MessageCompressor()
        let text = String(repeating: "b", count: count)
        let payloads = [compressor.payload(Array(text.utf8)), compressor.finalPayload(Array(text.utf8))]
        #expect(read(payloads + [compressor.storedPayload(Array(text.utf8)), [0]]) == [text, text, text, ""])
    }

    /// Two bytes inflate to one byte, but cost as much time as many.
    @Test func finalBlocksOfAMessageAreBounded() {
        let block: [UInt8] = [0x03, 0x00]
        let blocks = [[UInt8]](repeating: block, count: Inflater.maximumFinalBlocks)
        let allowed: [UInt8] = Array(blocks.joined()) + [0]
        #expect(read([allowed, block + [0], [0]]) == ["", "", ""])
        #expect(read([block + allowed, [0]]) == ["1007"])
    }
}
