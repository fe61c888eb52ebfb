// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes frames (RFC 6455 §5.2). If this side masks, each frame gets a fresh masking key (§5.3).
struct FrameWriter {
    /// Clients mask, servers do not (RFC 6455 §5.1).
    let isMasked: Bool
    private var keys: MaskingKeys

    /// - Parameter keyBatch: The number of masking keys that are drawn at a time.
    init(isMasked: Bool, keyBatch: Int) {
        self.isMasked = isMasked
        keys = MaskingKeys(batch: keyBatch)
    }

    /// A frame whose payload is being written.
    struct Frame {
        /// The size of the header, masking key included.
        var headerBytes: Int
        fileprivate var key: UInt32
    }

    /// Writes a header and the masking key at `start`, which has room for `FrameHeader.maximumBytes`.
    @unsafe @inline(__always)
    mutating func begin(at start: UnsafeMutableRawPointer, firstByte: UInt8, payloadBytes: Int) -> Frame {
        let size = unsafe FrameHeader.write(
            to: start, firstByte: firstByte, payloadBytes: payloadBytes, isMasked: isMasked)
        guard isMasked else { return Frame(headerBytes: size, key: 0) }
        let key = keys.draw()
        unsafe start.storeBytes(of: key, toByteOffset: size, as: UInt32.self)
        return Frame(headerBytes: size + 4, key: key)
    }

    /// Copies a part of the payload, masked if this side masks. `written` is the number of payload bytes before it.
    @unsafe @inline(__always)
    func copy(
        from source: UnsafeRawPointer, to start: UnsafeMutableRawPointer, count: Int, in frame: Frame, written: Int
    ) {
        let destination = unsafe start + (frame.headerBytes + written)
        if isMasked {
            unsafe Masking.copy(from: source, to: destination, count: count, key: frame.key, phase: written)
        } else {
            unsafe destination.copyMemory(from: source, byteCount: count)
        }
    }
}
