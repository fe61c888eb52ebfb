// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Composes a batch's array under the session's lock: short parts are copied, and long parts are shared.
struct ArrayComposer {
    /// Longer parts are shared.
    static let maximumCopy = 1024

    /// The parts that are copied, one behind the other.
    var bytes: [UInt8] = []
    /// The parts that are shared, and the place in ``bytes`` before which each of them belongs.
    private var shared: [(place: Int, part: ArraySlice<UInt8>)] = []
    private var sharedBytes = 0

    var isShared: Bool { !shared.isEmpty }
    var count: Int { bytes.count + sharedBytes }

    func copies(_ range: Range<Int>) -> Bool { range.count <= Self.maximumCopy }

    mutating func beginMember() { bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ",")) }

    mutating func append(_ source: [UInt8], _ range: Range<Int>) {
        guard !copies(range) else { return bytes.append(contentsOf: source[range]) }
        shared.append((bytes.count, source[range]))
        sharedBytes += range.count
    }

    /// The array, as parts that are one behind the other.
    var pieces: [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        pieces.reserveCapacity(2 * shared.count + 1)
        var start = 0
        for (place, part) in shared {
            pieces.append(bytes[start..<place])
            pieces.append(part)
            start = place
        }
        pieces.append(bytes[start...])
        return pieces
    }
}
