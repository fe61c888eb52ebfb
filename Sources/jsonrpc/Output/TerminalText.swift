// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Makes text from a peer safe for a terminal. All text from a peer passes through here before it is printed.
///
/// It escapes the control characters C0, DEL and C1 (U+009B starts an escape sequence, like ESC [), the line and
/// paragraph separators, and the characters that change the direction of text.
enum TerminalText {
    /// Returns whether a character can control a terminal.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Returns the text on one line, with line feeds escaped.
    static func line(_ text: some StringProtocol) -> String { escaped(text) { _ in false } }

    /// Returns the text with its line feeds and tabs, for text that the tool itself has formatted.
    static func lines(_ text: some StringProtocol) -> String { escaped(text) { $0 == "\n" || $0 == "\t" } }

    /// Returns a message on one line. If it is not UTF-8, every byte outside ASCII is escaped, because a terminal may
    /// read it as a C1 control character.
    static func line(_ message: [UInt8]) -> String {
        if let text = String(validating: message, as: UTF8.self) { return line(text) }
        return message.reduce(into: "") { line, byte in
            let scalar = Unicode.Scalar(byte)
            if byte >= 0x80 || isUnsafe(scalar) { line += escape(byte) } else { line.unicodeScalars.append(scalar) }
        }
    }

    /// Returns the beginning of a text on one line. White space is collapsed, and a truncated text ends with an
    /// ellipsis.
    static func summary(_ text: String, maximumCharacters: Int) -> String {
        let words = text.split { $0.isWhitespace }.joined(separator: " ")
        let start = words.prefix(maximumCharacters)
        return line(start) + (start.endIndex < words.endIndex ? "…" : "")
    }

    /// Returns the same JSON with unsafe characters in strings escaped as `\uXXXX`.
    static func json(_ json: some Collection<UInt8>) -> [UInt8] {
        // In valid JSON, all unsafe characters except DEL begin with 0xC2, 0xD8 or 0xE2.
        guard json.contains(where: { $0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 }) else { return Array(json) }
        var output: [UInt8] = []
        output.reserveCapacity(json.count)
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            if isUnsafe(scalar), scalar.value >= 0x7F {
                output.append(contentsOf: unicodeEscape(scalar).utf8)
            } else {
                output.append(contentsOf: String(scalar).utf8)
            }
        }
        return output
    }

    private static func escaped(_ text: some StringProtocol, isKept: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: { isUnsafe($0) && !isKept($0) }) else { return String(text) }
        var output = ""
        for scalar in text.unicodeScalars {
            if !isUnsafe(scalar) || isKept(scalar) {
                output.unicodeScalars.append(scalar)
            } else if scalar.value < 0x80 {
                output += escape(UInt8(scalar.value))
            } else {
                output += unicodeEscape(scalar)
            }
        }
        return output
    }

    /// Returns an escape such as `\n` or `\x1b`.
    private static func escape(_ byte: UInt8) -> String {
        switch byte {
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        case 0x09: "\\t"
        default: "\\x\(String(byte >> 4, radix: 16))\(String(byte & 15, radix: 16))"
        }
    }

    /// Returns an escape such as `\u009b`. All unsafe characters have at most four digits.
    private static func unicodeEscape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
