// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Finds the line of an offset in a text. It counts on from the last offset.
struct LineCounter {
    /// The line, counted from 1. Lines end with a line feed.
    private(set) var line = 1
    /// The offset of the line's first byte.
    private(set) var lineStart = 0
    private var offset = 0

    /// Moves to an offset, or to the end of the text if the offset is beyond it.
    mutating func move(to target: Int, in text: UnsafeRawBufferPointer) {
        let target = min(max(target, 0), text.count)
        if target < lineStart {
            for index in target..<lineStart where unsafe text[index] == 0x0A { line -= 1 }
            lineStart = target
            while lineStart > 0, unsafe text[lineStart - 1] != 0x0A { lineStart -= 1 }
        } else if offset < target {
            for index in offset..<target where unsafe text[index] == 0x0A {
                line += 1
                lineStart = index + 1
            }
        }
        offset = target
    }
}
