// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Checks text that comes in pieces: a fault is found in the piece that has it, not at the end of the message.
struct UTF8Stream {
    /// The beginning of a character whose end has not come.
    private var begun: [UInt8] = []

    /// The pieces so far end with a whole character.
    var isComplete: Bool { begun.isEmpty }

    /// False when the pieces so far, whatever follows, are not UTF-8.
    @unsafe mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        var piece = unsafe piece
        while !begun.isEmpty, let byte = unsafe piece.first {
            unsafe piece = UnsafeRawBufferPointer(rebasing: piece[1...])
            begun.append(byte)
            guard UTF8Check.mayBegin(begun) else { return false }
            if begun.count == UTF8Check.length(first: begun[0]) { begun = [] }
        }
        let rest = unsafe Self.unfinishedBytes(at: piece)
        guard unsafe UTF8Check.isValid(UnsafeRawBufferPointer(rebasing: piece.dropLast(rest))) else { return false }
        if rest > 0 { begun = unsafe Array(piece.suffix(rest)) }
        return rest == 0 || UTF8Check.mayBegin(begun)
    }

    /// How many bytes at the end belong to a character that goes on behind it.
    @unsafe private static func unfinishedBytes(at piece: UnsafeRawBufferPointer) -> Int {
        for count in 1...3 where count <= piece.count {
            let byte = unsafe piece[piece.count - count]
            // A continuation byte: the first one lies before it.
            if byte & 0xC0 == 0x80 { continue }
            guard let length = UTF8Check.length(first: byte) else { return 0 }
            return length > count ? count : 0
        }
        return 0
    }
}
