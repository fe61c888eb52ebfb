// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A buffer for Swift code with indents of four spaces. Lists are wrapped at 120 columns.
struct SourceText {
    private(set) var text = ""
    private var depth = 0

    private static let width = 120

    mutating func line(_ content: String = "") {
        if !content.isEmpty { text += String(repeating: "    ", count: depth) + content }
        text += "\n"
    }

    mutating func indented(_ body: (inout SourceText) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    mutating func block(_ head: String, _ body: (inout SourceText) -> Void) {
        line(head + " {")
        indented(body)
        line("}")
    }

    /// Writes a list on one line if it fits, else with each item on a line of its own.
    mutating func list(_ head: String, _ items: [String], _ tail: String) {
        let whole = head + items.joined(separator: ", ") + tail
        if depth * 4 + whole.count <= Self.width || items.isEmpty { return line(whole) }
        line(head)
        indented { code in
            for (index, item) in items.enumerated() { code.line(index + 1 < items.count ? item + "," : item) }
        }
        line(tail)
    }

    /// Writes a documentation comment, with invisible characters as escapes. It writes nothing if the content is `nil` or
    /// blank.
    mutating func comment(_ content: String?, mark: String = "///") {
        guard let content else { return }
        // A character that ends a line for some tool must not end the comment.
        let lines = content.split(omittingEmptySubsequences: false) { $0.isNewline }
        guard lines.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else { return }
        for part in lines {
            var trimmed = String(part.reversed().drop { $0.isWhitespace }.reversed())
            if trimmed.unicodeScalars.contains(where: \.isInvisible) {
                trimmed = trimmed.unicodeScalars.reduce(into: "") { text, scalar in
                    text += scalar.isInvisible && scalar != "\t" ? scalar.escaped(asASCII: true) : String(scalar)
                }
            }
            line(trimmed.isEmpty ? mark : mark + " " + trimmed)
        }
    }
}

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
}
