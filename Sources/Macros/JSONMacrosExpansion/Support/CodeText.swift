// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Lines of code with indentation.
///
/// Only the compiler can find some errors in lines that name types of the user, such as a type that is not `Codable`.
/// These lines are marked with the position of their requirement, so that the compiler reports the errors there.
struct CodeText {
    private(set) var text = ""
    private var isMarked = false
    private var depth = 0
    private var isFirstInBlock = true

    /// Writes a line, after the directive `place` if there is one. An empty line is not indented.
    mutating func line(_ line: String = "", at place: String? = nil) {
        if let place {
            write(place)
            isMarked = true
        }
        write(line)
    }

    private mutating func write(_ line: String) {
        if !text.isEmpty { text += "\n" }
        if !line.isEmpty { text += String(repeating: "    ", count: depth) + line }
        isFirstInBlock = false
    }

    /// Writes `opening {`, the lines of `body`, and `}`.
    ///
    /// - Parameters:
    ///   - signature: The signature of a closure, after the opening brace.
    ///   - closing: The text after the closing brace.
    mutating func block(
        _ opening: String, signature: String = "", closing: String = "", at place: String? = nil,
        _ body: (inout CodeText) -> Void
    ) {
        line("\(opening) {\(signature.isEmpty ? "" : " \(signature)")", at: place)
        isFirstInBlock = true
        nested(body)
        write("}\(closing)")
    }

    mutating func nested(_ body: (inout CodeText) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    /// Separates a member from the one before it.
    mutating func separate() {
        if isMarked { write("#sourceLocation()") }
        isMarked = false
        if !isFirstInBlock { line() }
    }
}
