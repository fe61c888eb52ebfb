// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A buffer of whole frames that are ready to be written. It is divided into chunks of at most ``maximumChunkBytes``. A
/// chunk contains only whole frames and is written with one call. It is `@unchecked Sendable` because it alone owns its
/// memory and cannot be copied.
@safe struct FrameBuffer: ~Copyable, @unchecked Sendable {
    /// A run of whole frames.
    struct Chunk: Equatable {
        /// The offset of its end in the buffer. It begins at the end of the previous chunk.
        var endOffset: Int
        /// The outbox position after its last frame.
        var endPosition: UInt64
    }

    /// The maximum size of one write. Control frames can be written only between chunks.
    static let maximumChunkBytes = 65_536
    /// The maximum capacity that an empty buffer keeps. More memory is freed.
    private static let keptCapacity = 1 << 20

    private(set) var storage: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    private(set) var chunks: [Chunk] = []
    /// The messages that are framed later, in order. Each is sent before the frame at its offset.
    var longMessages: [LongMessage] = []
    /// Whether the last chunk accepts no more frames.
    var isChunkComplete = false

    init() { unsafe storage = UnsafeMutableRawBufferPointer(start: nil, count: 0) }

    deinit { unsafe storage.deallocate() }

    var isEmpty: Bool { count == 0 && longMessages.isEmpty }

    /// Makes room for `size` more bytes and returns their address. ``commit(_:endPosition:)`` adds them.
    @unsafe mutating func reserve(_ size: Int) -> UnsafeMutableRawPointer {
        if unsafe count + size > storage.count { grow(by: size) }
        // `size` is positive, so there is an allocation, and the base address exists.
        return unsafe storage.baseAddress.unsafelyUnwrapped + count
    }

    private mutating func grow(by size: Int) {
        let needed = count + size
        let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(needed, storage.count * 2, 4096), alignment: 16)
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        unsafe storage.deallocate()
        unsafe storage = larger
    }

    /// Adds a frame of `size` bytes that was written at the reserved address.
    mutating func commit(_ size: Int, endPosition: UInt64) {
        let start = chunks.count > 1 ? chunks[chunks.count - 2].endOffset : 0
        count += size
        if !isChunkComplete, let last = chunks.indices.last, count - start <= Self.maximumChunkBytes {
            chunks[last] = Chunk(endOffset: count, endPosition: endPosition)
        } else {
            chunks.append(Chunk(endOffset: count, endPosition: endPosition))
            isChunkComplete = false
        }
    }

    /// Adds a message that is framed later, at the end of the buffer. Its offset is ``count``.
    mutating func append(_ message: LongMessage) {
        longMessages.append(message)
        isChunkComplete = true
    }

    /// The index of the last long message that begins at this outbox position or before it.
    func longMessage(before position: UInt64) -> Int? {
        var low = 0
        var high = longMessages.count
        while low < high {
            let middle = (low + high) / 2
            if longMessages[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }

    @unsafe func bytes(ofChunk index: Int) -> UnsafeMutableRawBufferPointer {
        let start = index == 0 ? 0 : chunks[index - 1].endOffset
        return unsafe UnsafeMutableRawBufferPointer(rebasing: storage[start..<chunks[index].endOffset])
    }

    @unsafe var bytes: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(rebasing: storage[..<count])
    }

    /// Removes all frames and messages. The memory for frames is kept unless it is large.
    mutating func removeAll() {
        count = 0
        chunks.removeAll(keepingCapacity: true)
        isChunkComplete = false
        if !longMessages.isEmpty { longMessages.removeAll(keepingCapacity: longMessages.count <= 64) }
        if unsafe storage.count > Self.keptCapacity {
            unsafe storage.deallocate()
            unsafe storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        }
    }

    /// Removes the frames whose reserved bits are set, and divides the others into chunks again. Long messages keep
    /// their places. `coalesces` says whether several frames may share a chunk.
    mutating func removeWithdrawn(firstPosition: UInt64, coalesces: Bool) {
        let end = count
        var offset = 0
        var position = firstPosition
        var nextLongMessage = 0
        count = 0
        chunks.removeAll(keepingCapacity: true)
        isChunkComplete = false
        guard let base = unsafe storage.baseAddress else { return }
        while true {
            while nextLongMessage < longMessages.count, longMessages[nextLongMessage].offset == offset {
                longMessages[nextLongMessage].offset = count
                position = longMessages[nextLongMessage].endPosition
                isChunkComplete = true
                nextLongMessage += 1
            }
            guard offset < end else { return }
            let frame = unsafe base + offset
            let size = unsafe FrameHeader.frameBytes(at: frame)
            position += UInt64(size)
            if unsafe frame.load(as: UInt8.self) & FrameHeader.reservedBits == 0 {
                unsafe (base + count).copyMemory(from: frame, byteCount: size)
                commit(size, endPosition: position)
                if !coalesces { isChunkComplete = true }
            }
            offset += size
        }
    }
}
