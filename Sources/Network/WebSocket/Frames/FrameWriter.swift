// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

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
    /// First byte: this is the message's last frame.
    static let finalBit: UInt8 = 0x80
    /// First byte: the three reserved bits. Frames of this side never have them on the wire. In an outbox, they mark a
    /// withdrawn frame.
    static let reservedBits: UInt8 = 0x70
    /// First byte of a message's first frame: the message is compressed (RSV1, RFC 7692 §6).
    static let compressedBit: UInt8 = 0x40
    /// The size of the longest header: two bytes, eight of length, and four of masking key.
    static let maximumBytes = 14

    static func size(payloadBytes: Int, isMasked: Bool) -> Int {
        let length = payloadBytes < 126 ? 2 : payloadBytes <= 0xFFFF ? 4 : 10
        return isMasked ? length + 4 : length
    }

    /// Writes a header without the masking key to `destination`, which has room for ``maximumBytes``. Returns the
    /// number of bytes written.
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

    /// Returns the size of a frame that ``write(to:firstByte:payloadBytes:isMasked:)`` began, with its payload.
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

/// Writes frames (RFC 6455 §5.2). If this side masks, each frame gets a new masking key (§5.3).
struct FrameWriter {
    /// Whether frames are masked: clients mask, servers do not (RFC 6455 §5.1).
    let isMasked: Bool
    private var keys: MaskingKeys

    /// - Parameter keyBatch: The number of masking keys that are drawn at a time.
    init(isMasked: Bool, keyBatch: Int) {
        self.isMasked = isMasked
        keys = MaskingKeys(batch: keyBatch)
    }

    /// A frame whose payload is being written.
    struct Frame {
        /// The size of the header, including the masking key.
        var headerBytes: Int
        fileprivate var key: UInt32
    }

    /// Writes a header and the masking key to `start`, which has room for `FrameHeader.maximumBytes`.
    @unsafe @inline(__always)
    mutating func begin(at start: UnsafeMutableRawPointer, firstByte: UInt8, payloadBytes: Int) -> Frame {
        let size = unsafe FrameHeader.write(
            to: start, firstByte: firstByte, payloadBytes: payloadBytes, isMasked: isMasked)
        guard isMasked else { return Frame(headerBytes: size, key: 0) }
        let key = keys.draw()
        unsafe start.storeBytes(of: key, toByteOffset: size, as: UInt32.self)
        return Frame(headerBytes: size + 4, key: key)
    }

    /// Copies a part of the payload, masked if this side masks. `written` is the number of payload bytes before it.
    @unsafe @inline(__always)
    func copy(
        from source: UnsafeRawPointer, to start: UnsafeMutableRawPointer, count: Int, in frame: Frame, written: Int
    ) {
        let destination = unsafe start + (frame.headerBytes + written)
        if isMasked {
            unsafe Masking.copy(from: source, to: destination, count: count, key: frame.key, phase: written)
        } else {
            unsafe destination.copyMemory(from: source, byteCount: count)
        }
    }
}

/// The system's CSPRNG.
enum SystemRandom {
    @unsafe static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        var filled = 0
        while filled < bytes.count {
            let drawn = unsafe getrandom(bytes.baseAddress.map { unsafe $0 + filled }, bytes.count - filled, 0)
            // The buffer is valid and there are no flags, so the call only fails if a signal interrupts it.
            if drawn > 0 { filled += drawn }
        }
    }
}

/// Masking keys (RFC 6455 §5.3) from the system's CSPRNG. Many keys are drawn with one system call.
struct MaskingKeys {
    private var keys: [UInt32] = []
    private var next = 0
    private let batch: Int

    /// Makes a source of keys. `batch` is the number of keys that are drawn at a time.
    init(batch: Int = 1024) { self.batch = batch }

    mutating func draw() -> UInt32 {
        if next == keys.count {
            if keys.isEmpty { keys = Array(repeating: 0, count: batch) }
            unsafe keys.withUnsafeMutableBytes { unsafe SystemRandom.fill($0) }
            next = 0
        }
        defer { next += 1 }
        return keys[next]
    }
}

/// The masking transformation (RFC 6455 §5.3).
enum Masking {
    /// Copies `count` bytes and masks them, eight at a time. `phase` is the offset of the first byte in the frame's
    /// payload, for a payload that is copied in parts.
    @unsafe static func copy(
        from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, count: Int, key: UInt32, phase: Int
    ) {
        // The key has the byte order of its memory, so it is rotated by a shift towards byte 0.
        let shift = UInt32(truncatingIfNeeded: phase & 3) &* 8
        let little = UInt32(littleEndian: key)
        let turned = shift == 0 ? little : (little &>> shift) | (little &<< (32 &- shift))
        let word = (UInt64(turned) | UInt64(turned) &<< 32).littleEndian
        var offset = 0
        while offset &+ 8 <= count {
            let masked = unsafe source.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ word
            unsafe destination.storeBytes(of: masked, toByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        var rest = UInt64(littleEndian: word)
        while offset < count {
            let byte = unsafe source.load(fromByteOffset: offset, as: UInt8.self)
            unsafe destination.storeBytes(
                of: byte ^ UInt8(truncatingIfNeeded: rest), toByteOffset: offset, as: UInt8.self)
            rest &>>= 8
            offset &+= 1
        }
    }
}
