// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A buffer for Swift code with indents of four spaces. Lists are wrapped at 120 columns.
struct SourceText {
    private(set) var text = ""
    private var depth = 0

    private static let width = 120

    /// Writes a line. The default is an empty line.
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
                    text += scalar.isInvisible && scalar != "\t" ? scalar.swiftEscape : String(scalar)
                }
            }
            line(trimmed.isEmpty ? mark : mark + " " + trimmed)
        }
    }
}
