// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Source text, line by line.
struct Lines {
    private(set) var lines: [String] = []
    private var indent = ""

    mutating func add(_ line: String) { lines.append(line.isEmpty ? "" : indent + line) }

    /// Adds lines within braces.
    mutating func block(_ head: String, _ body: (inout Lines) -> Void) {
        add("\(head) {")
        nested(body)
        add("}")
    }

    /// Adds lines that are indented by one level more.
    mutating func nested(_ body: (inout Lines) -> Void) {
        indent += "    "
        body(&self)
        indent.removeLast(4)
    }

    var text: String { lines.joined(separator: "\n") }
}
