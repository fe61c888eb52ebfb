// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The opcodes of RFC 6455 §5.2.
enum Opcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    var isControl: Bool { rawValue & 0x8 != 0 }
}

/// Writes and measures the header of one frame (RFC 6455 §5.2).
enum FrameHeader {
    /// First byte: the message's last frame.
    static let finalBit: UInt8 = 0x80
    /// First byte: the three reserved bits. Frames of this side never have them on the wire. In an outbox, they mark a
    /// withdrawn frame.
    static let reservedBits: UInt8 = 0x70
    /// First byte of a message's first frame: the message is compressed (RSV1, RFC 7692 §6).
    static let compressedBit: UInt8 = 0x40
    /// The longest header: two bytes, eight of length, four of masking key.
    static let maximumBytes = 14

    /// Returns the size of the header for a payload.
    static func size(payloadBytes: Int, isMasked: Bool) -> Int {
        let length = payloadBytes < 126 ? 2 : payloadBytes <= 0xFFFF ? 4 : 10
        return isMasked ? length + 4 : length
    }

    /// Writes a header, without the masking key, at `destination`, which has room for ``maximumBytes``.
    ///
    /// - Returns: The number of bytes written.
    @unsafe static func write(
        to destination: UnsafeMutableRawPointer, firstByte: UInt8, payloadBytes: Int, isMasked: Bool
    ) -> Int {
        let maskBit: UInt8 = isMasked ? 0x80 : 0
        unsafe destination.storeBytes(of: firstByte, as: UInt8.self)
        if payloadBytes < 126 {
            unsafe destination.storeBytes(of: maskBit | UInt8(payloadBytes), toByteOffset: 1, as: UInt8.self)
            return 2
        }
        if payloadBytes <= 0xFFFF {
            unsafe destination.storeBytes(of: maskBit | 126, toByteOffset: 1, as: UInt8.self)
            unsafe destination.storeBytes(of: UInt16(payloadBytes).bigEndian, toByteOffset: 2, as: UInt16.self)
            return 4
        }
        unsafe destination.storeBytes(of: maskBit | 127, toByteOffset: 1, as: UInt8.self)
        unsafe destination.storeBytes(of: UInt64(payloadBytes).bigEndian, toByteOffset: 2, as: UInt64.self)
        return 10
    }

    /// Returns the size of a frame that ``write(to:firstByte:payloadBytes:isMasked:)`` wrote: header and payload.
    @unsafe static func frameBytes(at source: UnsafeRawPointer) -> Int {
        let second = unsafe source.load(fromByteOffset: 1, as: UInt8.self)
        let mask = second & 0x80 == 0 ? 0 : 4
        switch second & 0x7F {
        case 126:
            let length = unsafe source.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
            return 4 + mask + Int(UInt16(bigEndian: length))
        case 127:
            let length = unsafe source.loadUnaligned(fromByteOffset: 2, as: UInt64.self)
            return 10 + mask + Int(UInt64(bigEndian: length))
        case let length:
            return 2 + mask + Int(length)
        }
    }
}
