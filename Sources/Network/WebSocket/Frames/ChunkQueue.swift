// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The messages that the service thread has taken from an outbox, as chunks in the order in which they are written.
/// Short messages are already framed. Long messages are framed and masked here, at most one chunk at a time, just
/// before the chunk is written. So they never take memory twice.
struct ChunkQueue: ~Copyable {
    private var taken = FrameBuffer()
    private var nextChunk = 0
    private var nextLongMessage = 0
    /// The position in the next long message up to which it is in ``fragments`` or was written.
    private var cursor = LongMessageCursor()
    /// The chunk of fragments to write.
    private var fragments = FrameBuffer()
    private var writer: FrameWriter
    /// Whether fragments of several long messages may share a chunk.
    private let coalesces: Bool

    private enum Source {
        case none, taken, fragments
    }
    /// The buffer that contains the chunk to write.
    private var source = Source.none

    init(isMasked: Bool, coalesces: Bool = true) {
        writer = FrameWriter(isMasked: isMasked, keyBatch: 16)
        self.coalesces = coalesces
    }

    /// Prepares a chunk to write. Returns `false` if there is none, also not in the outbox. `take` moves an outbox's
    /// messages into the buffer, which is empty, and returns `false` if there are none.
    @inline(__always)
    mutating func prepare(taking take: (inout FrameBuffer) -> Bool) -> Bool {
        while true {
            if source != .none || findNext() { return true }
            // The memory is freed here and not under the outbox's lock.
            if !taken.isEmpty { forgetTaken() }
            guard take(&taken) else { return false }
        }
    }

    /// Finds the next chunk of the messages that were taken. Returns `false` if there is none.
    @inline(__always)
    private mutating func findNext() -> Bool {
        guard taken.longMessages.isEmpty else { return findNextAmongLongMessages() }
        guard nextChunk < taken.chunks.count else { return false }
        source = .taken
        return true
    }

    private mutating func findNextAmongLongMessages() -> Bool {
        let offset = nextChunk == 0 ? 0 : taken.chunks[nextChunk - 1].endOffset
        while nextLongMessage < taken.longMessages.count, taken.longMessages[nextLongMessage].offset <= offset,
            coalesces || fragments.isEmpty || cursor.payloadBytes > 0
        {
            guard appendFragment() else { break }
        }
        if !fragments.isEmpty {
            source = .fragments
        } else if nextChunk < taken.chunks.count {
            source = .taken
        }
        return source != .none
    }

    private mutating func forgetTaken() {
        taken.removeAll()
        nextChunk = 0
        nextLongMessage = 0
    }

    /// Adds the next fragment to the chunk. Returns `false` if it does not fit.
    private mutating func appendFragment() -> Bool {
        let message = taken.longMessages[nextLongMessage]
        if !message.isWithdrawn {
            let left = message.payloadBytes - cursor.payloadBytes
            let size = FrameHeader.maximumBytes + min(left, LongMessage.maximumFragmentBytes)
            guard fragments.count + size <= FrameBuffer.maximumChunkBytes else { return false }
            cursor.appendFragment(of: message, to: &fragments, &writer)
            guard cursor.payloadBytes == message.payloadBytes else { return true }
        }
        taken.longMessages[nextLongMessage].pieces = []
        nextLongMessage += 1
        cursor = LongMessageCursor()
        return true
    }

    /// The bytes of the chunk to write, and the outbox position after it. It may only be used after
    /// ``prepare(taking:)`` has returned `true`. The bytes are valid until ``chunkWritten()``.
    @unsafe @inline(__always)
    var chunk: (bytes: UnsafeRawBufferPointer, endPosition: UInt64) {
        switch source {
        case .none: unsafe (UnsafeRawBufferPointer(start: nil, count: 0), 0)
        case .taken:
            unsafe (UnsafeRawBufferPointer(taken.bytes(ofChunk: nextChunk)), taken.chunks[nextChunk].endPosition)
        case .fragments:
            unsafe (UnsafeRawBufferPointer(fragments.bytes), fragments.chunks.last?.endPosition ?? 0)
        }
    }

    @inline(__always)
    mutating func chunkWritten() {
        switch source {
        case .none: break
        case .taken: nextChunk += 1
        case .fragments: fragments.removeAll()
        }
        source = .none
    }
}

/// A message in the outbox that is framed when it is written. Until then, the outbox only refers to its bytes.
struct LongMessage: Sendable {
    /// The message is the concatenation of the pieces. They are shared with the sender, so they are never changed.
    var pieces: [ArraySlice<UInt8>]
    let opcode: Opcode
    let payloadBytes: Int
    /// The outbox position of the message's first byte.
    let position: UInt64
    /// The outbox position after the message's last frame.
    let endPosition: UInt64
    /// The message is sent before the frame at this offset of the ``FrameBuffer``.
    var offset: Int
    var isWithdrawn = false

    /// Longer payloads are split into fragments (RFC 6455 §5.4). A payload of this size and its header fill a chunk.
    static let maximumFragmentBytes = FrameBuffer.maximumChunkBytes - FrameHeader.maximumBytes

    /// The size of a message on the wire, including frame headers.
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
