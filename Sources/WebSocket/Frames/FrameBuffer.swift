// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A buffer of whole frames that are ready to be written. It is divided into chunks of at most ``maximumChunkBytes``. A
/// chunk contains only whole frames and is written with one call.
///
/// It is `@unchecked Sendable` because it alone owns its memory and cannot be copied.
@safe struct FrameBuffer: ~Copyable, @unchecked Sendable {
    /// A run of whole frames.
    struct Chunk: Equatable {
        /// The offset of its end in the buffer. It begins at the end of the chunk before it.
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

    init() { unsafe storage = .allocate(byteCount: 4096, alignment: 16) }

    deinit { unsafe storage.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// Makes room for `size` more bytes and returns their address. ``commit(_:endPosition:)`` adds them.
    @unsafe mutating func reserve(_ size: Int) -> UnsafeMutableRawPointer {
        if unsafe count + size > storage.count { grow(by: size) }
        // Allocated with at least 4096 bytes, so the base address exists.
        return unsafe storage.baseAddress.unsafelyUnwrapped + count
    }

    private mutating func grow(by size: Int) {
        let needed = count + size
        let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(needed, storage.count * 2), alignment: 16)
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        unsafe storage.deallocate()
        unsafe storage = larger
    }

    /// Adds the frame of `size` bytes that was written at the reserved place.
    mutating func commit(_ size: Int, endPosition: UInt64) {
        let start = chunks.count > 1 ? chunks[chunks.count - 2].endOffset : 0
        count += size
        if let last = chunks.indices.last, count - start <= Self.maximumChunkBytes {
            chunks[last] = Chunk(endOffset: count, endPosition: endPosition)
        } else {
            chunks.append(Chunk(endOffset: count, endPosition: endPosition))
        }
    }

    /// The frames of the chunk at `index`.
    @unsafe func bytes(ofChunk index: Int) -> UnsafeMutableRawBufferPointer {
        let start = index == 0 ? 0 : chunks[index - 1].endOffset
        return unsafe UnsafeMutableRawBufferPointer(
            rebasing: storage[start..<chunks[index].endOffset])
    }

    /// All frames.
    @unsafe var bytes: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(rebasing: storage[..<count])
    }

    /// Removes all frames. Keeps the memory unless it is large.
    mutating func removeAll() {
        count = 0
        chunks.removeAll(keepingCapacity: true)
        if unsafe storage.count > Self.keptCapacity {
            unsafe storage.deallocate()
            unsafe storage = .allocate(byteCount: 4096, alignment: 16)
        }
    }

    /// Removes the frames whose reserved bits are set, and divides the others into chunks again.
    mutating func removeWithdrawn(firstPosition: UInt64) {
        let end = count
        var offset = 0
        var position = firstPosition
        count = 0
        chunks.removeAll(keepingCapacity: true)
        guard let base = unsafe storage.baseAddress else { return }
        while offset < end {
            let frame = unsafe base + offset
            let size = unsafe FrameHeader.frameBytes(at: frame)
            position += UInt64(size)
            if unsafe frame.load(as: UInt8.self) & FrameHeader.reservedBits == 0 {
                unsafe (base + count).copyMemory(from: frame, byteCount: size)
                commit(size, endPosition: position)
            }
            offset += size
        }
    }
}
