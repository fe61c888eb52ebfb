// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import Synchronization
import TestSupport

/// A stream of given pieces that counts how many were requested.
final class SplitStream: HTTPByteSource {
    private let pieces: Mutex<ArraySlice<[UInt8]>>
    private let failure: (any Error)?
    private let asked = Mutex(0)

    init(_ pieces: [[UInt8]], failure: (any Error)? = nil) {
        self.pieces = Mutex(pieces[...])
        self.failure = failure
    }

    /// The number of requested pieces.
    var askedPieces: Int { asked.withLock { $0 } }

    func next() async throws -> ArraySlice<UInt8>? {
        asked.withLock { $0 += 1 }
        if let piece = pieces.withLock({ $0.popFirst() }) { return piece[...] }
        if let failure { throw failure }
        return nil
    }

    var stream: HTTPByteStream { HTTPByteStream(self) }
}

/// Streams of the same bytes: whole, byte by byte, and cut in two at each byte.
func everySplit(of text: String) -> [HTTPByteStream] {
    let bytes = Array(text.utf8)
    var splits = [[bytes], bytes.map { [$0] }]
    for index in bytes.indices { splits.append([Array(bytes[..<index]), Array(bytes[index...])]) }
    return splits.map { SplitStream($0).stream }
}

/// A stream of bytes in pieces of random size, some of which are empty.
func randomSplit(of bytes: [UInt8], using random: inout SeededGenerator) -> HTTPByteStream {
    var pieces: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = Int.random(in: 0...min(rest.count, 5), using: &random)
        pieces.append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
    }
    return SplitStream(pieces).stream
}

/// Reads a sequence to its end, or to its error.
func collect<S: AsyncSequence>(_ sequence: S) async throws -> [S.Element] {
    var elements: [S.Element] = []
    for try await element in sequence { elements.append(element) }
    return elements
}
