// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Checks text that comes in pieces: a fault is found in the piece that has it, not at the end of the message.
struct UTF8Stream {
    /// The beginning of a character whose end has not come: three bytes at most.
    private var begun: [UInt8] = []

    /// The pieces so far end with a whole character.
    var isComplete: Bool { begun.isEmpty }

    /// False when the pieces so far, whatever follows, are not UTF-8.
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
