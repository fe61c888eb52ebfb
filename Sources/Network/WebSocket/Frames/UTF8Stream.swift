// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A check for UTF-8 in text that arrives in pieces. It finds a fault in the piece that contains it.
struct UTF8Stream {
    /// The first bytes of an unfinished character, at most three.
    private var begun: [UInt8] = []

    /// Whether the pieces so far end with a whole character.
    var isComplete: Bool { begun.isEmpty }

    /// Checks a piece.
    ///
    /// - Returns: `false` if the pieces so far are not UTF-8, whatever follows.
    @unsafe mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        var piece = unsafe piece
        while !begun.isEmpty, let byte = unsafe piece.first {
            unsafe piece = UnsafeRawBufferPointer(rebasing: piece[1...])
            begun.append(byte)
            switch unsafe begun.withUnsafeBytes({ unsafe UTF8Check.verdict($0) }) {
            case .wellFormed: begun = []
            case .unfinished: break
            case .malformed: return false
            }
        }
        switch unsafe UTF8Check.verdict(piece) {
        case .wellFormed: return true
        case .malformed: return false
        case .unfinished(let count):
            begun = unsafe Array(piece.suffix(count))
            return true
        }
    }
}
