// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Lines of code, with their indents.
///
/// A line that names the user's types can be wrong in ways which only the compiler finds: a type that is not
/// `Codable`, say. Such a line is marked with the place of the requirement it was made of, and the compiler then points
/// there.
struct CodeText {
    private(set) var text = ""
    private var isMarked = false
    private var depth = 0
    private var isFirstInBlock = true

    /// Writes a line; an empty one has no indent.
    mutating func line(_ line: String = "", at place: SourcePlace? = nil) {
        if let place {
            write("#sourceLocation(file: \(place.file), line: \(place.line))")
            isMarked = true
        }
        write(line)
    }

    private mutating func write(_ line: String) {
        if !text.isEmpty { text += "\n" }
        if !line.isEmpty { text += String(repeating: "    ", count: depth) + line }
        isFirstInBlock = false
    }

    /// Writes `opening {`, what `body` writes, and `}`.
    ///
    /// - Parameter signature: a closure's, behind the brace.
    mutating func block(
        _ opening: String, signature: String = "", at place: SourcePlace? = nil, _ body: (inout CodeText) -> Void
    ) {
        line("\(opening) {\(signature.isEmpty ? "" : " \(signature)")", at: place)
        depth += 1
        isFirstInBlock = true
        body(&self)
        depth -= 1
        write("}")
    }

    /// Parts this member from the one before it.
    mutating func separate() {
        if isMarked { write("#sourceLocation()") }
        isMarked = false
        if !isFirstInBlock { line() }
    }
}
