// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The place of a character on the screen, relative to the beginning of the prompt. libedit does not tell it.
struct LinePlace: Equatable {
    var row = 0
    var column = 0

    /// Returns the place after a text, drawn as libedit draws it: control characters as `^X`, line feeds as new rows, and
    /// wide characters in a new row if the row has no room for them.
    ///
    /// - Parameters:
    ///   - columns: The width of the terminal.
    ///   - width: Returns the number of columns of a character; negative if it cannot be printed.
    static func after(
        _ text: some Sequence<Unicode.Scalar>, columns: Int, width: (Unicode.Scalar) -> Int
    ) -> LinePlace {
        let columns = max(1, columns)
        var place = LinePlace()
        for scalar in text {
            switch scalar.value {
            case 0x0A: place = LinePlace(row: place.row + 1)
            case 0x09: place.advance(8 - place.column % 8, columns)
            case 0..<0x20, 0x7F: for _ in 0..<2 { place.advance(1, columns) }
            default:
                let width = width(scalar)
                // libedit shows a character that cannot be printed as \U+XXXX.
                if width < 0 {
                    for _ in 0..<(scalar.value > 0xFFFF ? 8 : 7) { place.advance(1, columns) }
                } else {
                    if place.column + width > columns { place = LinePlace(row: place.row + 1) }
                    place.advance(width, columns)
                }
            }
        }
        return place
    }

    private mutating func advance(_ count: Int, _ columns: Int) {
        column += count
        if column >= columns { self = LinePlace(row: row + 1) }
    }
}
