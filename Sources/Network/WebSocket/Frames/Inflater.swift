// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// An inflater for the messages of one direction of a connection (RFC 7692 §7.2.2), using zlib.
@safe final class Inflater {
    /// The state of zlib. It has a fixed address, because zlib keeps the address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableBufferPointer<UInt8>
    /// The number of blocks in the current message that are marked as the last.
    private var finalBlocks = 0

    /// The maximum number of blocks in a message that are marked as the last. Such a block has only two bytes, but
    /// continuing after it takes as long as copying the window.
    static let maximumFinalBlocks = 256

    enum Outcome {
        case done
        /// The message would be larger than the limit.
        case tooLarge
        case malformed
    }

    /// Makes an inflater. Throws a violation with the close code 1011 if there is no memory for the window.
    init() throws(Violation) {
        unsafe stream = .allocate(capacity: 1)
        unsafe output = .allocate(capacity: Self.stepBytes)
        unsafe stream.initialize(to: z_stream())
        guard unsafe CLWS_inflateInit(stream) == Z_OK else {
            unsafe stream.deallocate()
            unsafe output.deallocate()
            throw Violation("There is no memory to inflate a message.", closeCode: .internalError)
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
        unsafe output.deallocate()
    }

    /// Inflates a piece of a message and appends it to `message`, which does not grow beyond `limit`.
    @unsafe func inflate(
        _ piece: UnsafeRawBufferPointer, isLast: Bool, into message: inout [UInt8], limit: Int
    ) -> Outcome {
        let outcome = unsafe inflate(piece, into: &message, limit: limit)
        guard case .done = outcome, isLast else { return outcome }
        // The sender has removed these bytes (RFC 7692 §7.2.1).
        let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
        let end = unsafe tail.withUnsafeBytes { unsafe inflate($0, into: &message, limit: limit) }
        guard case .done = end else { return end }
        finalBlocks = 0
        // In a complete message, these bytes end a block. Otherwise, the next message would be read as a part of this
        // block.
        return unsafe stream.pointee.data_type == Self.betweenBlocks ? .done : .malformed
    }

    /// The value of zlib's `data_type` after a block that is not the last one: no bit is unused.
    private static let betweenBlocks: Int32 = 128

    @unsafe private func inflate(
        _ piece: UnsafeRawBufferPointer, into message: inout [UInt8], limit: Int
    ) -> Outcome {
        // zlib does not write to its input.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(
            mutating: piece.baseAddress?.assumingMemoryBound(to: UInt8.self))
        unsafe stream.pointee.avail_in = UInt32(clamping: piece.count)
        var isFull = true
        while unsafe stream.pointee.avail_in > 0 || isFull {
            let (status, written) = unsafe step(&message, room: min(Self.stepBytes, limit - message.count))
            switch status {
            case Z_OK, Z_BUF_ERROR:
                // At the limit, one more byte is inflated to find out whether the message ends there.
                if message.count > limit { return .tooLarge }
                isFull = unsafe stream.pointee.avail_out == 0
                if written == 0, status == Z_BUF_ERROR { return .done }
            case Z_STREAM_END:
                if message.count > limit { return .tooLarge }
                guard beginNextStream() else { return .malformed }
                isFull = false
            default:
                return .malformed
            }
        }
        return .done
    }

    /// The number of bytes that are inflated in one step.
    private static let stepBytes = 32_768

    @unsafe private func step(_ message: inout [UInt8], room: Int) -> (status: Int32, written: Int) {
        let room = max(room, 1)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(room)
        let status = unsafe CLibwebsockets.inflate(stream, Z_SYNC_FLUSH)
        let written = unsafe room - Int(stream.pointee.avail_out)
        unsafe message.append(contentsOf: output[..<written])
        return (status, written)
    }

    /// Continues after a block that is marked as the last. Such a block ends zlib's stream, but not the message: the
    /// next block refers to the same window (RFC 7692 §7.2.3.4).
    private func beginNextStream() -> Bool {
        finalBlocks += 1
        guard finalBlocks <= Self.maximumFinalBlocks else { return false }
        var window = [UInt8](repeating: 0, count: 32_768)
        var count = UInt32(window.count)
        guard unsafe inflateGetDictionary(stream, &window, &count) == Z_OK, unsafe inflateReset(stream) == Z_OK else {
            return false
        }
        return unsafe count == 0 || inflateSetDictionary(stream, window, count) == Z_OK
    }
}
