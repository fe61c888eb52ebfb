// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A short text that is put together on the stack from several pieces, and then appended to an array as a whole: to
/// append each piece by itself would cost several times as much.
struct StackText {
    /// As much as Swift allocates on the stack.
    static let maximumBytes = 1024

    private let buffer: UnsafeMutableRawBufferPointer
    private var count = 0

    private init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

    /// Appends what `write` writes, which is at most `capacity` bytes.
    @inline(__always)
    static func append(upTo capacity: Int, to bytes: inout [UInt8], _ write: (inout StackText) -> Void) {
        with(upTo: capacity, write) { text in
            if bytes.isEmpty { bytes.reserveCapacity(text.count) }
            bytes.append(contentsOf: text)
        }
    }

    /// Passes what `write` writes, which is at most `capacity` bytes, to `body`.
    @inline(__always)
    static func with(
        upTo capacity: Int, _ write: (inout StackText) -> Void, body: (UnsafeRawBufferPointer) -> Void
    ) {
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { buffer in
            var text = StackText(buffer)
            write(&text)
            body(UnsafeRawBufferPointer(rebasing: buffer[..<text.count]))
        }
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
    }
}
