// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A frame whose header was read.
struct InboundFrame: Equatable {
    var opcode: Opcode
    var isFinal: Bool
    /// Whether the message that begins with this frame is compressed (RFC 7692 §6).
    var isCompressed: Bool
    /// The length of the payload in bytes.
    var length: Int
    /// The masking key in the order of its bytes in memory; 0 if frames are not masked.
    var key: UInt32
}

/// The rules of RFC 6455 §5 for the header of the next frame.
struct FrameRules: Equatable {
    /// Whether the frames come from a client.
    let isMasked: Bool
    /// Whether permessage-deflate was negotiated.
    let allowsCompression: Bool
    /// Whether a message has begun and not ended.
    var isInMessage = false

    init(isMasked: Bool, allowsCompression: Bool) {
        self.isMasked = isMasked
        self.allowsCompression = allowsCompression
    }

    /// Reads the header at the beginning of `bytes`.
    ///
    /// - Returns: The frame, and the header's size; `nil` if the header is not complete.
    /// - Throws: A violation. If the first two bytes show it, it is thrown when they have arrived.
    @unsafe func frame(at bytes: UnsafeRawBufferPointer) throws(Violation) -> (InboundFrame, Int)? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = unsafe (bytes[0], bytes[1])
        let opcode = try checkedOpcode(first, second)
        var length = Int(second & 0x7F)
        var size = 2
        if length >= 126 {
            size = length == 126 ? 4 : 10
            guard bytes.count >= size else { return nil }
            length = unsafe try Self.longLength(in: UnsafeRawBufferPointer(rebasing: bytes[2..<size]))
        }
        var key: UInt32 = 0
        if isMasked {
            guard bytes.count >= size + 4 else { return nil }
            key = unsafe bytes.loadUnaligned(fromByteOffset: size, as: UInt32.self)
            size += 4
        }
        let frame = InboundFrame(
            opcode: opcode, isFinal: first & FrameHeader.finalBit != 0,
            isCompressed: first & FrameHeader.compressedBit != 0, length: length, key: key)
        return (frame, size)
    }

    @unsafe private static func longLength(in bytes: UnsafeRawBufferPointer) throws(Violation) -> Int {
        var length: UInt64 = 0
        for index in 0..<bytes.count { unsafe length = length << 8 | UInt64(bytes[index]) }
        guard length > (bytes.count == 2 ? 125 : 0xFFFF) else {
            throw Violation("The peer sent a frame whose length does not take the fewest bytes.")
        }
        guard let length = Int(exactly: length) else { throw Violation("The peer sent a frame of 2^63 bytes or more.") }
        return length
    }

    private func checkedOpcode(_ first: UInt8, _ second: UInt8) throws(Violation) -> Opcode {
        guard let opcode = Opcode(rawValue: first & 0x0F) else {
            throw Violation("The peer sent a frame with the reserved opcode \(first & 0x0F).")
        }
        let beginsMessage = opcode == .text || opcode == .binary
        let reserved = first & FrameHeader.reservedBits
        guard reserved == 0 || reserved == FrameHeader.compressedBit && allowsCompression && beginsMessage else {
            throw Violation("The peer sent a frame with reserved bits set.")
        }
        guard (second & 0x80 != 0) == isMasked else {
            throw Violation(isMasked ? "The client sent an unmasked frame." : "The server sent a masked frame.")
        }
        if opcode.isControl {
            guard first & FrameHeader.finalBit != 0 else {
                throw Violation("The peer sent a fragmented control frame.")
            }
            guard second & 0x7F <= 125 else { throw Violation("The peer sent a control frame of more than 125 bytes.") }
        } else if beginsMessage == isInMessage {
            throw Violation(
                isInMessage ? "The peer began a message within another." : "The peer sent a continuation of no message."
            )
        }
        return opcode
    }
}
