// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// Compresses messages for a peer in a test (RFC 7692 §7.2.1).
final class MessageCompressor {
    private let stream: UnsafeMutablePointer<z_stream>

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        deflateInit2_(
            stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Forgets the earlier messages.
    func reset() { deflateReset(stream) }

    /// The payload of a message that refers to earlier ones.
    func payload(_ message: [UInt8]) -> [UInt8] {
        // zlib does not flush twice in a row; an empty message is one byte (RFC 7692 §7.2.3.6).
        guard !message.isEmpty else { return [0] }
        // The four bytes at the end of a sync flush are left out.
        return Array(compress(message, flush: Z_SYNC_FLUSH).dropLast(4))
    }

    /// The payload of a message whose only block has BFINAL set (RFC 7692 §7.2.3.4). Forgets the earlier messages.
    func finalPayload(_ message: [UInt8]) -> [UInt8] {
        reset()
        defer { reset() }
        return compress(message, flush: Z_FINISH) + [0]
    }

    /// The payload of a message in one stored block (RFC 7692 §7.2.3.3). Forgets the earlier messages.
    func storedPayload(_ message: [UInt8]) -> [UInt8] {
        reset()
        let (low, high) = (UInt8(message.count & 0xFF), UInt8(message.count >> 8 & 0xFF))
        return [0, low, high, ~low, ~high] + message + [0]
    }

    private func compress(_ message: [UInt8], flush: Int32) -> [UInt8] {
        var input = message
        var output = [UInt8](repeating: 0, count: Int(deflateBound(stream, UInt(message.count))) + 64)
        let room = output.count
        input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = UInt32(input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(room)
                _ = deflate(stream, flush)
            }
        }
        output.removeLast(Int(stream.pointee.avail_out))
        return output
    }
}
