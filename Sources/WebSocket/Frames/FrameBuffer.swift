// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Whole frames, one behind the other, ready to be written: cut into chunks of at most ``maximumChunkBytes``, each of
/// which holds whole frames only and goes out with one write.
///
/// It is `@unchecked Sendable` because it alone owns its memory and cannot be copied: who holds it has all of it.
@safe struct FrameBuffer: ~Copyable, @unchecked Sendable {
    /// A run of whole frames.
    struct Chunk: Equatable {
        /// Where it ends in the buffer; it begins where the one before it ends.
        var endOffset: Int
        /// The outbox position behind its last frame.
        var endPosition: UInt64
    }

    /// The most of one write: control frames can go out between chunks only.
    static let maximumChunkBytes = 65_536
    /// More capacity than this is given back once the buffer is empty.
    private static let keptCapacity = 1 << 20

    private(set) var storage: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    private(set) var chunks: [Chunk] = []

    init() { unsafe storage = .allocate(byteCount: 4096, alignment: 16) }

    deinit { unsafe storage.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// Makes room for `size` more bytes and returns where they go. ``commit(_:endPosition:)`` adds them.
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

    /// Adds the frame of `size` bytes which was written at the reserved place.
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

    /// Forgets all frames and keeps the memory, unless it is large.
    mutating func removeAll() {
        count = 0
        chunks.removeAll(keepingCapacity: true)
        if unsafe storage.count > Self.keptCapacity {
            unsafe storage.deallocate()
            unsafe storage = .allocate(byteCount: 4096, alignment: 16)
        }
    }

    /// Leaves out the frames whose reserved bits are set, and cuts what remains into chunks anew.
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
