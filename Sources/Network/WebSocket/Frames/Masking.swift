// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// The system's CSPRNG.
enum SystemRandom {
    @unsafe static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        var filled = 0
        while filled < bytes.count {
            let drawn = unsafe getrandom(bytes.baseAddress.map { unsafe $0 + filled }, bytes.count - filled, 0)
            // The buffer is valid and there are no flags, so the call fails only if a signal interrupts it.
            if drawn > 0 { filled += drawn }
        }
    }
}

/// Masking keys (RFC 6455 §5.3) from the system's CSPRNG. Many keys are drawn with one system call.
struct MaskingKeys {
    private var keys: [UInt32] = []
    private var next = 0
    private let batch: Int

    /// Makes a source of keys.
    ///
    /// - Parameter batch: The number of keys that are drawn at a time.
    init(batch: Int = 1024) { self.batch = batch }

    /// Returns a new key.
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
        // The key has the order of its bytes in memory, so it is rotated by a shift towards byte 0.
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
