// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import WebSocket

/// Frames that break a rule of RFC 6455 or RFC 7692, or exceed a limit.
extension HostileFrames {
    mutating func addFault() {
        let faults: [(inout HostileFrames) -> End] = [
            { $0.addReservedBits() }, { $0.addReservedOpcode() }, { $0.addWrongMask() }, { $0.addLength() },
            { $0.addTooLong() }, { $0.addStrayFragment() }, { $0.addBadControl() }, { $0.addEmptyFragments() },
            { $0.addBadClose() }, { $0.addBadText() }, { $0.addBadDeflate() }, { $0.addBomb() },
        ]
        let fault = faults[Int.random(in: 0..<faults.count, using: &random)]
        let end = fault(&self)
        finish(end)
    }

    private static var rule: End { .violation([.protocolViolation]) }
    private static var limit: End { .violation([.messageTooBig]) }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    /// The header of a frame, perhaps with a masking key, but without a payload.
    private mutating func addHeader(_ first: UInt8, _ length: UInt8, _ rest: [UInt8] = []) {
        bytes += [first, length | (isMasked ? 0x80 : 0)] + rest + (isMasked ? someBytes(4) : [])
    }

    private mutating func addReservedBits() -> End {
        let onControl = random.oneIn(3)
        // Bit 1 of a message means that it is compressed, if compression was negotiated.
        let bits: [UInt8] = deflates && !onControl ? [1, 2, 3, 5, 6, 7] : [1, 2, 4, 7]
        add(onControl ? pick([8, 9, 10]) : pick([1, 2]), someBytes(5), reserved: pick(bits))
        return Self.rule
    }

    private mutating func addReservedOpcode() -> End {
        add(pick([3, 4, 5, 6, 7, 11, 12, 13, 14, 15]), someBytes(5), isFinal: random.oneIn(2))
        return Self.rule
    }

    private mutating func addWrongMask() -> End {
        bytes += RawFrame(pick([1, 2, 9, 8]), [], maskingKey: isMasked ? nil : someBytes(4)).bytes
        return Self.rule
    }

    /// A length that is not in the fewest bytes, or is too large.
    private mutating func addLength() -> End {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: addHeader(0x82, 126, [0, UInt8.random(in: 0...125, using: &random)])
        case 1: addHeader(0x82, 127, [0, 0, 0, 0, 0, 0] + someBytes(2))
        default: addHeader(0x82, 127, [UInt8.random(in: 128...255, using: &random)] + someBytes(7))
        }
        return Self.rule
    }

    private mutating func addTooLong() -> End {
        if random.oneIn(2) {
            let count = Self.maximumMessageBytes + 1
            addHeader(pick([0x81, 0x02]), 126, [UInt8(count >> 8), UInt8(count & 0xFF)])
        } else {
            addHeader(pick([0x81, 0x02]), 127, pick([[0, 0, 1, 0], [0x7F, 0xFF, 0xFF, 0xFF]]) + someBytes(4))
        }
        return Self.limit
    }

    private mutating func addStrayFragment() -> End {
        if random.oneIn(2) {
            add(0, someBytes(5), isFinal: random.oneIn(2))
        } else {
            add(2, someBytes(5), isFinal: false)
            add(pick([1, 2]), someBytes(5))
        }
        return Self.rule
    }

    private mutating func addBadControl() -> End {
        if random.oneIn(2) {
            add(pick([8, 9, 10]), [], isFinal: false)
        } else {
            add(pick([8, 9, 10]), someBytes(126))
        }
        return Self.rule
    }

    private mutating func addEmptyFragments() -> End {
        add(2, [], isFinal: false)
        for _ in 0..<1100 { add(0, [], isFinal: false) }
        return Self.rule
    }

    private mutating func addBadClose() -> End {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: add(RawFrame.Opcode.close, someBytes(1))
        case 1:
            let code = pick([0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535]) as UInt16
            add(RawFrame.Opcode.close, [UInt8(code >> 8), UInt8(code & 0xFF)] + someText(7))
        default: add(RawFrame.Opcode.close, [0x03, 0xE8] + someText(9) + [0xC3])
        }
        return Self.rule
    }

    private mutating func addBadText() -> End {
        let bad = pick(
            [[0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F]] as [[UInt8]])
        // No byte follows that could complete the last of these.
        let text = someText(Int.random(in: 0...40, using: &random)) + bad + (random.oneIn(2) ? [0x61] : [])
        if deflates, random.oneIn(2) {
            add(1, compressor.payload(text), reserved: 4)
        } else {
            add(1, text)
        }
        return .violation([.invalidText])
    }

    /// Compressed data that is cut, has flipped bits, or is not compressed; without negotiation, RSV1 alone.
    private mutating func addBadDeflate() -> End {
        let truncated: [UInt8] = [
            0xEC, 0xC1, 0xB1, 0, 0, 0, 0, 0x02, 0x30, 0x97, 0xCC, 0xF2, 0x97, 0x08, 0xA2, 0x77, 0x5B, 0x0A, 0, 0,
        ]
        var payload = compressor.payload(someText(200))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: payload = truncated
        case 1: payload = someBytes(50)
        case 2: payload.removeSubrange(Int.random(in: 0..<payload.count, using: &random)...)
        case 3: payload[Int.random(in: 0..<payload.count, using: &random)] ^= 0x10
        // A block of the reserved kind; a distance beyond the sent data.
        case 4: payload = [0x07, 0]
        default: payload = [0x4B, 0x04, 0x62, 0x00, 0xFF]
        }
        add(pick([1, 2]), payload, isFinal: !random.oneIn(3), reserved: 4)
        return deflates ? .unknown : Self.rule
    }

    /// Inflates beyond the limit, in one frame or before a second one.
    private mutating func addBomb() -> End {
        let payload = compressor.payload(
            [UInt8](repeating: 0x61, count: pick([Self.maximumMessageBytes + 1, 3_000_000])))
        add(2, payload, isFinal: random.oneIn(2), reserved: 4)
        return deflates ? Self.limit : Self.rule
    }
}
