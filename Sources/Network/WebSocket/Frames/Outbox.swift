// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The accepted messages that were not yet handed to the service thread: short messages as framed bytes, long messages
/// as references to their bytes.
///
/// A message is identified by its position: the number of bytes that were accepted before it since the connection
/// began. It can be withdrawn while it is in the outbox. ``handOver(to:)`` moves all messages to the service thread's
/// buffer, which is written in order. A position is *handed* when its chunk is given to the socket.
struct Outbox: ~Copyable {
    /// The size above which messages are shared with their senders (``append(sharing:opcode:)``), because framing them
    /// takes longer than all other work under the lock.
    static let sharingThreshold = 16 << 10

    private var frames: FrameBuffer
    private var writer: FrameWriter
    private let lowWaterBytes: Int
    /// Whether several messages may share a write.
    private let coalesces: Bool
    private var withdrawnFrames = 0
    private var wasAboveLowWater = false

    /// The position of the first message that was not handed over.
    private var firstPosition: UInt64 = 0
    /// The position of the next message.
    private(set) var acceptedPosition: UInt64 = 0
    /// The position below which all bytes were given to the socket.
    private(set) var handedPosition: UInt64 = 0
    /// The number of accepted bytes that were neither withdrawn nor given to the socket.
    private(set) var queuedBytes = 0
    /// Whether the service thread was told that there are messages.
    private var isSignalled = false
    private(set) var isClosed = false

    init(isMasked: Bool, lowWaterBytes: Int, coalesces: Bool = true) {
        self.coalesces = coalesces
        writer = FrameWriter(isMasked: isMasked, keyBatch: 1024)
        self.lowWaterBytes = max(lowWaterBytes, 0)
        frames = FrameBuffer()
    }

    /// Adds one message, the concatenation of `pieces`. It is framed, or copied if it does not fit into one frame.
    @unsafe mutating func append(
        _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>, opcode: Opcode
    ) -> EnqueueOutcome {
        guard !isClosed else { return .refused }
        var total = 0
        for index in 0..<pieces.count { unsafe total += pieces[index].count }
        guard total <= LongMessage.maximumFragmentBytes else {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(total)
            for index in 0..<pieces.count { unsafe bytes.append(contentsOf: pieces[index]) }
            return append(sharing: [bytes[...]], opcode: opcode)
        }
        let position = acceptedPosition
        unsafe appendFrame(pieces, payloadBytes: total, firstByte: FrameHeader.finalBit | opcode.rawValue)
        return accepted(from: position)
    }

    /// Adds one message, the concatenation of `pieces`, without reading its bytes. The service thread frames them.
    mutating func append(sharing pieces: [ArraySlice<UInt8>], opcode: Opcode) -> EnqueueOutcome {
        guard !isClosed else { return .refused }
        let position = acceptedPosition
        var payloadBytes = 0
        for piece in pieces { payloadBytes += piece.count }
        acceptedPosition += UInt64(LongMessage.frameBytes(payloadBytes: payloadBytes, isMasked: writer.isMasked))
        frames.append(
            LongMessage(
                pieces: pieces, opcode: opcode, payloadBytes: payloadBytes, position: position,
                endPosition: acceptedPosition, offset: frames.count))
        return accepted(from: position)
    }

    @inline(__always)
    private mutating func accepted(from position: UInt64) -> EnqueueOutcome {
        queuedBytes += Int(acceptedPosition - position)
        if queuedBytes > lowWaterBytes { wasAboveLowWater = true }
        let mustWake = !isSignalled
        isSignalled = true
        return .queued(OutboxTicket(position: position), mustWake: mustWake)
    }

    @unsafe private mutating func appendFrame(
        _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>, payloadBytes: Int, firstByte: UInt8
    ) {
        let start = unsafe frames.reserve(FrameHeader.maximumBytes + payloadBytes)
        let frame = unsafe writer.begin(at: start, firstByte: firstByte, payloadBytes: payloadBytes)
        var written = 0
        for index in 0..<pieces.count {
            let piece = unsafe pieces[index]
            guard let source = piece.baseAddress else { continue }
            unsafe writer.copy(from: source, to: start, count: piece.count, in: frame, written: written)
            written += piece.count
        }
        acceptedPosition += UInt64(frame.headerBytes + payloadBytes)
        frames.commit(frame.headerBytes + payloadBytes, endPosition: acceptedPosition)
        if !coalesces { frames.isChunkComplete = true }
    }

    /// Withdraws the message at `position`. Returns `false` if it was handed over or withdrawn before, or if no message
    /// begins there.
    mutating func withdraw(_ position: UInt64) -> Bool {
        guard position >= firstPosition, position < acceptedPosition else { return false }
        guard let index = frames.longMessage(before: position) else {
            return withdrawFrame(at: Int(position - firstPosition))
        }
        let message = frames.longMessages[index]
        guard position != message.position else {
            guard !message.isWithdrawn else { return false }
            frames.longMessages[index].isWithdrawn = true
            queuedBytes -= Int(message.endPosition - message.position)
            return true
        }
        guard position >= message.endPosition else { return false }
        return withdrawFrame(at: message.offset + Int(position - message.endPosition))
    }

    private mutating func withdrawFrame(at offset: Int) -> Bool {
        let bytes = unsafe frames.bytes
        let first = unsafe bytes[offset]
        guard first & FrameHeader.reservedBits == 0 else { return false }
        let size = unsafe FrameHeader.frameBytes(at: UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped + offset))
        unsafe bytes[offset] = first | FrameHeader.reservedBits
        withdrawnFrames += 1
        queuedBytes -= size
        return true
    }

    /// Moves all messages to `buffer`, which must be empty, and takes its memory in exchange. Returns `false` if there
    /// were none. The next message then requests a wake-up again.
    mutating func handOver(to buffer: inout FrameBuffer) -> Bool {
        if withdrawnFrames > 0 {
            frames.removeWithdrawn(firstPosition: firstPosition, coalesces: coalesces)
            withdrawnFrames = 0
        }
        firstPosition = acceptedPosition
        guard !frames.isEmpty else {
            frames.removeAll()
            isSignalled = false
            return false
        }
        swap(&frames, &buffer)
        return true
    }

    /// Records that a chunk is about to be given to the socket. Returns `true` if the queue has fallen from above the
    /// low-water mark to the mark or below.
    mutating func handed(bytes: Int, endPosition: UInt64) -> Bool {
        handedPosition = endPosition
        queuedBytes -= bytes
        guard wasAboveLowWater, queuedBytes <= lowWaterBytes else { return false }
        wasAboveLowWater = false
        return true
    }

    mutating func close() { isClosed = true }

    /// Closes the outbox, and returns the position from which on no message was given to the socket.
    mutating func end() -> OutboxTicket {
        isClosed = true
        return OutboxTicket(position: handedPosition)
    }
}
