// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The accepted messages that were not yet handed to the service thread, as framed bytes.
///
/// A message is identified by its position: the number of bytes that were accepted before it since the connection
/// began. It can be withdrawn while it is in the outbox. ``handOver(to:)`` moves all messages to the service thread's
/// buffer, which is written in order. A position is *handed* from the moment at which its chunk is given to the socket.
struct Outbox: ~Copyable {
    /// The size of a payload that fills a chunk with its header. A longer message is fragmented (RFC 6455 §5.4).
    static let maximumFragmentBytes = FrameBuffer.maximumChunkBytes - FrameHeader.maximumBytes

    private var frames: FrameBuffer
    private var keys = MaskingKeys()
    /// Whether frames are masked: on a client, but not on a server (RFC 6455 §5.1).
    private let isMasked: Bool
    private let lowWaterBytes: Int
    private var withdrawnFrames = 0
    private var wasAboveLowWater = false

    /// The position of the next message.
    private(set) var acceptedPosition: UInt64 = 0
    /// The position below which all bytes were given to the socket.
    private(set) var handedPosition: UInt64 = 0
    /// The number of accepted bytes that were neither withdrawn nor given to the socket.
    private(set) var queuedBytes = 0
    /// Whether the service thread was told that there are messages.
    private var isSignalled = false
    /// Whether the outbox accepts no more messages.
    private(set) var isClosed = false

    init(isMasked: Bool, lowWaterBytes: Int) {
        self.isMasked = isMasked
        self.lowWaterBytes = max(lowWaterBytes, 0)
        frames = FrameBuffer()
    }

    /// The result of appending a message.
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

    /// A position in the pieces of a message.
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

    /// Withdraws the message at `position`.
    ///
    /// - Returns: `false` if it was handed over or withdrawn before, or if no message begins there.
    mutating func withdraw(_ position: UInt64) -> Bool {
        let firstPosition = acceptedPosition - UInt64(frames.count)
        guard position >= firstPosition, position < acceptedPosition else { return false }
        let bytes = unsafe frames.bytes
        var offset = Int(position - firstPosition)
        // Each fragment takes one step. A message of at most 64 KiB has one fragment.
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

    /// Moves all messages to `buffer`, which must be empty, and takes its memory in exchange.
    ///
    /// - Returns: `false` if there were none. The next message then requests a wake-up again.
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

    /// Notes that a chunk is about to be given to the socket.
    ///
    /// - Returns: `true` if the queue has fallen from above the low-water mark to the mark or below.
    mutating func handed(bytes: Int, endPosition: UInt64) -> Bool {
        handedPosition = endPosition
        queuedBytes -= bytes
        guard wasAboveLowWater, queuedBytes <= lowWaterBytes else { return false }
        wasAboveLowWater = false
        return true
    }

    /// Closes the outbox for new messages.
    mutating func close() { isClosed = true }
}
