// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Checks for well-formed UTF-8, using the standard library.
enum UTF8Check {
    enum Verdict: Equatable {
        case wellFormed
        /// All bytes are well-formed except for this number of bytes at the end, which begin a character.
        case unfinished(bytes: Int)
        case malformed
    }

    @unsafe static func verdict(_ bytes: UnsafeRawBufferPointer) -> Verdict {
        unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes in
            do throws(UTF8.ValidationError) {
                _ = try unsafe UTF8Span(validating: bytes.span)
                return .wellFormed
            } catch {
                // The character is only unfinished if it is cut off at the end of the bytes.
                guard error.kind == .truncatedScalar, error.byteOffsets.upperBound == bytes.count else {
                    return .malformed
                }
                return .unfinished(bytes: error.byteOffsets.count)
            }
        }
    }
}

/// Checks text that arrives in pieces for UTF-8. It finds a fault in the piece that contains it.
struct UTF8Stream {
    /// The first bytes of an unfinished character, at most three.
    private var begun: [UInt8] = []

    /// Whether the pieces so far end with a whole character.
    var isComplete: Bool { begun.isEmpty }

    /// Checks a piece. Returns `false` if the pieces so far cannot be the beginning of UTF-8.
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
