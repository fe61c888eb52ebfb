// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The messages which are accepted and not yet handed to the socket, as framed bytes, with the account of what has
/// become of them.
///
/// A message's ticket is its position: the count of bytes accepted before it in the connection's life. It can be
/// withdrawn while it lies here; ``handOver(to:)`` moves everything to the service thread's buffer, and what lies
/// there is written in order. A position is *handed* from the moment its chunk is given to the socket.
struct Outbox: ~Copyable {
    /// A payload of this size and its header fill a chunk; a longer message is cut into fragments (RFC 6455 §5.4).
    static let maximumFragmentBytes = FrameBuffer.maximumChunkBytes - FrameHeader.maximumBytes

    private var frames: FrameBuffer
    private var keys = MaskingKeys()
    /// Clients mask, servers do not (RFC 6455 §5.1).
    private let isMasked: Bool
    private let lowWaterBytes: Int
    private var withdrawnFrames = 0
    private var wasAboveLowWater = false

    /// The position the next message gets.
    private(set) var acceptedPosition: UInt64 = 0
    /// Everything below it was given to the socket.
    private(set) var handedPosition: UInt64 = 0
    /// Bytes accepted, neither withdrawn nor given to the socket.
    private(set) var queuedBytes = 0
    /// The service thread knows that there is something here and will come.
    private var isSignalled = false
    /// No more messages are taken.
    private(set) var isClosed = false

    init(isMasked: Bool, lowWaterBytes: Int) {
        self.isMasked = isMasked
        self.lowWaterBytes = max(lowWaterBytes, 0)
        frames = FrameBuffer()
    }

    /// What became of a message.
    enum AppendResult: Equatable {
        case queued(position: UInt64, mustWake: Bool)
        case refused
    }

    /// Frames one message, the concatenation of `pieces`, and adds it.
    @unsafe mutating func append(
        _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>, opcode: Opcode
    ) -> AppendResult {
        guard !isClosed else { return .refused }
        let position = acceptedPosition
        var total = 0
        for index in 0..<pieces.count { unsafe total += pieces[index].count }
        if total <= Self.maximumFragmentBytes {
            var cursor = PieceCursor()
            unsafe appendFrame(
                &cursor, of: pieces, payloadBytes: total, firstByte: FrameHeader.finalBit | opcode.rawValue)
        } else {
            unsafe appendFragments(of: pieces, total: total, opcode: opcode)
        }
        queuedBytes += Int(acceptedPosition - position)
        if queuedBytes > lowWaterBytes { wasAboveLowWater = true }
        let mustWake = !isSignalled
        isSignalled = true
        return .queued(position: position, mustWake: mustWake)
    }

    @unsafe private mutating func appendFragments(
        of pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>, total: Int, opcode: Opcode
    ) {
        let fragments = (total + Self.maximumFragmentBytes - 1) / Self.maximumFragmentBytes
        _ = unsafe frames.reserve(total + fragments * FrameHeader.maximumBytes)
        var cursor = PieceCursor()
        var left = total
        var first = opcode.rawValue
        while left > 0 {
            let size = min(left, Self.maximumFragmentBytes)
            left -= size
            let final = left == 0 ? FrameHeader.finalBit : 0
            unsafe appendFrame(&cursor, of: pieces, payloadBytes: size, firstByte: final | first)
            first = Opcode.continuation.rawValue
        }
    }

    /// How far the pieces of a message have been read.
    private struct PieceCursor {
        var index = 0
        var offset = 0
    }

    @unsafe private mutating func appendFrame(
        _ cursor: inout PieceCursor, of pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>, payloadBytes: Int,
        firstByte: UInt8
    ) {
        let start = unsafe frames.reserve(FrameHeader.maximumBytes + payloadBytes)
        var size = unsafe FrameHeader.write(
            to: start, firstByte: firstByte, payloadBytes: payloadBytes, isMasked: isMasked)
        var key: UInt32 = 0
        if isMasked {
            key = keys.draw()
            unsafe start.storeBytes(of: key, toByteOffset: size, as: UInt32.self)
            size += 4
        }
        var written = 0
        while written < payloadBytes {
            let piece = unsafe pieces[cursor.index]
            let count = min(piece.count - cursor.offset, payloadBytes - written)
            if let source = piece.baseAddress, count > 0 {
                let destination = unsafe start + (size + written)
                if isMasked {
                    unsafe Masking.copy(
                        from: source + cursor.offset, to: destination, count: count, key: key, phase: written)
                } else {
                    unsafe destination.copyMemory(from: source + cursor.offset, byteCount: count)
                }
            }
            written += count
            cursor.offset += count
            if cursor.offset == piece.count {
                cursor.index += 1
                cursor.offset = 0
            }
        }
        acceptedPosition += UInt64(size + payloadBytes)
        frames.commit(size + payloadBytes, endPosition: acceptedPosition)
    }

    /// Takes back the message whose first byte lies at `position`. False when it was handed over or withdrawn before,
    /// or when no message begins there.
    mutating func withdraw(_ position: UInt64) -> Bool {
        let firstPosition = acceptedPosition - UInt64(frames.count)
        guard position >= firstPosition, position < acceptedPosition else { return false }
        let bytes = unsafe frames.bytes
        var offset = Int(position - firstPosition)
        // One step for each fragment: a message of at most 64 KiB takes one.
        while offset < bytes.count {
            let first = unsafe bytes[offset]
            guard first & FrameHeader.reservedBits == 0 else { return false }
            let size = unsafe FrameHeader.frameBytes(at: UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped + offset))
            unsafe bytes[offset] = first | FrameHeader.reservedBits
            withdrawnFrames += 1
            queuedBytes -= size
            offset += size
            if first & FrameHeader.finalBit != 0 { break }
        }
        return true
    }

    /// Moves everything to `buffer`, which is written out and empty, and takes its memory in exchange. False when
    /// there was nothing: then the next message asks for a wake-up again.
    mutating func handOver(to buffer: inout FrameBuffer) -> Bool {
        buffer.removeAll()
        if withdrawnFrames > 0 {
            frames.removeWithdrawn(firstPosition: acceptedPosition - UInt64(frames.count))
            withdrawnFrames = 0
        }
        guard !frames.isEmpty else {
            frames.removeAll()
            isSignalled = false
            return false
        }
        swap(&frames, &buffer)
        return true
    }

    /// Notes that a chunk is about to be given to the socket. True when by that the queue has fallen to the low-water
    /// mark, after it was above.
    mutating func handed(bytes: Int, endPosition: UInt64) -> Bool {
        handedPosition = endPosition
        queuedBytes -= bytes
        guard wasAboveLowWater, queuedBytes <= lowWaterBytes else { return false }
        wasAboveLowWater = false
        return true
    }

    /// Takes no more messages.
    mutating func close() { isClosed = true }
}
