// swift-jsonrpc · SPDX-License-Identifier: MIT

extension Unicode.Scalar {
    /// Whether the character shows nothing, or changes how other text is shown: control characters, separators of lines,
    /// marks of the direction of text, and other invisible characters. A terminal, an editor or a reader can be deceived
    /// by them.
    ///
    /// Joiners and variation selectors do not count, because emoji and some scripts need them.
    package var isInvisible: Bool {
        switch value {
        case 0x20..<0x7F, 0x200C, 0x200D: false
        // A lookup of properties takes longer. Most text consists of these.
        case 0xA0..<0xAD, 0xAE..<0x34F, 0x3165..<0xFE00: false
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0xFFF9...0xFFFB: true
        default: properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }

    /// The character as an escape in Swift, such as `\u{1B}`.
    var swiftEscape: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }
}
