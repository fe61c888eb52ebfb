// swift-jsonrpc · SPDX-License-Identifier: MIT

// Linked with the objects of WebSocket by `Scripts/fuzz.sh`.

@testable import WebSocket

/// libFuzzer calls this with each input. A broken invariant traps, and libFuzzer reports the trap with the input.
///
/// The first four bytes select the reader and the cuts. The rest is the input of the peer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 4 else { return 0 }
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let bytes = Array(input[4...])
    let pieces = Pieces(seed: UInt32(input[2]) << 8 | UInt32(input[3]))
    if input[0] & 0x80 == 0 {
        FrameCheck(options: input[0], limit: input[1]).check(bytes, pieces)
    } else {
        checkHandshake(isServer: input[0] & 1 != 0, bytes, pieces)
    }
    return 0
}

/// The pieces of the input. Each has its own memory, so that the address sanitizer detects a read beyond it.
struct Pieces {
    private var state: UInt32

    init(seed: UInt32) { state = seed }

    static func cut(_ bytes: [UInt8], _ pieces: Pieces) -> [[UInt8]] {
        var pieces = pieces
        var result: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(start + pieces.next(), bytes.count)
            result.append(Array(bytes[start..<end]))
            start = end
        }
        return result
    }

    /// Returns a length, mostly a few bytes.
    private mutating func next() -> Int {
        state = state &* 1_664_525 &+ 1_013_904_223
        let value = Int(state >> 16)
        return value & 7 == 0 ? 1 + value % 1000 : 1 + value % 9
    }
}
