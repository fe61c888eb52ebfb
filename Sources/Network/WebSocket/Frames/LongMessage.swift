// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A message in the outbox that is framed only when it is written: until then the outbox holds references to its bytes.
struct LongMessage: Sendable {
    /// The message is their concatenation. The arrays are shared with the sender, so they are never changed.
    var pieces: [ArraySlice<UInt8>]
    let opcode: Opcode
    let payloadBytes: Int
    /// The outbox position of the message's first byte.
    let position: UInt64
    /// The outbox position behind the message's last frame.
    let endPosition: UInt64
    /// The message goes out before the frame at this offset of the ``FrameBuffer``.
    var offset: Int
    var isWithdrawn = false

    /// Longer payloads are cut into fragments (RFC 6455 §5.4). Such a payload and its header fill a chunk.
    static let maximumFragmentBytes = FrameBuffer.maximumChunkBytes - FrameHeader.maximumBytes

    /// The size of a message on the wire, frame headers included.
    static func frameBytes(payloadBytes: Int, isMasked: Bool) -> Int {
        let whole = max(payloadBytes - 1, 0) / maximumFragmentBytes
        let last = payloadBytes - whole * maximumFragmentBytes
        return payloadBytes + whole * FrameHeader.size(payloadBytes: maximumFragmentBytes, isMasked: isMasked)
            + FrameHeader.size(payloadBytes: last, isMasked: isMasked)
    }
}

/// Reads a ``LongMessage`` fragment by fragment.
struct LongMessageCursor {
    private var index = 0
    private var offset = 0
    private(set) var payloadBytes = 0

    /// Appends the next fragment to `buffer`.
    mutating func appendFragment(of message: LongMessage, to buffer: inout FrameBuffer, _ writer: inout FrameWriter) {
        let size = min(message.payloadBytes - payloadBytes, LongMessage.maximumFragmentBytes)
        let opcode = payloadBytes == 0 ? message.opcode : .continuation
        let final = payloadBytes + size == message.payloadBytes ? FrameHeader.finalBit : 0
        let start = unsafe buffer.reserve(FrameHeader.maximumBytes + size)
        let frame = unsafe writer.begin(at: start, firstByte: final | opcode.rawValue, payloadBytes: size)
        var written = 0
        while written < size {
            let piece = message.pieces[index]
            let count = min(piece.count - offset, size - written)
            unsafe piece.withUnsafeBytes { bytes in
                guard count > 0, let base = bytes.baseAddress else { return }
                unsafe writer.copy(from: base + offset, to: start, count: count, in: frame, written: written)
            }
            written += count
            offset += count
            if offset == piece.count {
                index += 1
                offset = 0
            }
        }
        payloadBytes += size
        let sent = LongMessage.frameBytes(payloadBytes: payloadBytes, isMasked: writer.isMasked)
        buffer.commit(frame.headerBytes + size, endPosition: message.position + UInt64(sent))
    }
}
