// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Makes text of a peer safe for a terminal. All such text that is printed passes through here.
///
/// Escaped are the control characters C0, DEL and C1 (U+009B begins an escape sequence as ESC [ does), the line and
/// paragraph separators, and the characters that change the direction of text.
enum TerminalText {
    /// Whether a terminal would act on the character instead of showing it.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The text on one line: line feeds are escaped too.
    static func line(_ text: some StringProtocol) -> String { escaped(text) { _ in false } }

    /// The text with its line feeds and tabs, for text that is laid out by this program.
    static func lines(_ text: some StringProtocol) -> String { escaped(text) { $0 == "\n" || $0 == "\t" } }

    /// A message on one line. Where it is not UTF-8, every byte outside ASCII is escaped, since a terminal may read it
    /// as a C1 control character.
    static func line(_ message: [UInt8]) -> String {
        if let text = String(validating: message, as: UTF8.self) { return line(text) }
        return message.reduce(into: "") { line, byte in
            let scalar = Unicode.Scalar(byte)
            if byte >= 0x80 || isUnsafe(scalar) { line += escape(byte) } else { line.unicodeScalars.append(scalar) }
        }
    }

    /// The beginning of a text, on one line: white space is collapsed, and a longer text ends with an ellipsis.
    static func summary(_ text: String, maximumCharacters: Int) -> String {
        let words = text.split { $0.isWhitespace }.joined(separator: " ")
        let start = words.prefix(maximumCharacters)
        return line(start) + (start.endIndex < words.endIndex ? "…" : "")
    }

    /// JSON with every unsafe character in its strings written as `\uXXXX`, which means the same.
    static func json(_ json: some Collection<UInt8>) -> [UInt8] {
        // All unsafe characters but DEL begin with one of these bytes, in valid JSON.
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

    /// `\n`, `\x1b`.
    private static func escape(_ byte: UInt8) -> String {
        switch byte {
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        case 0x09: "\\t"
        default: "\\x\(String(byte >> 4, radix: 16))\(String(byte & 15, radix: 16))"
        }
    }

    /// `\u009b`. All unsafe characters have at most four digits.
    private static func unicodeEscape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
