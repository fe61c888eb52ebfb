// swift-jsonrpc · SPDX-License-Identifier: MIT

import OpenRPC

/// Makes text from a peer safe for a terminal. All text from a peer passes through here before it is printed.
///
/// It escapes the control characters C0, DEL and C1 (U+009B starts an escape sequence, like ESC [), the line and
/// paragraph separators, the characters that change the direction of text, and other invisible characters, which could
/// hide a difference.
package enum TerminalText {
    /// Returns whether a character can control a terminal, or deceive a reader.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool { scalar.isInvisible }

    /// Returns the text on one line, with line feeds escaped.
    package static func line(_ text: some StringProtocol) -> String { escaped(text) { _ in false } }

    /// Returns the text with its line feeds and tabs, for text that the tool itself has formatted.
    package static func lines(_ text: some StringProtocol) -> String {
        escaped(text) { $0 == "\n" || $0 == "\t" }
    }

    /// Returns a message on one line. If it is not UTF-8, every byte outside ASCII is escaped, because a terminal may
    /// read it as a C1 control character.
    package static func line(_ message: [UInt8]) -> String {
        if let text = String(validating: message, as: UTF8.self) { return line(text) }
        return message.reduce(into: "") { line, byte in
            let scalar = Unicode.Scalar(byte)
            if byte >= 0x80 || isUnsafe(scalar) { line += escape(byte) } else { line.unicodeScalars.append(scalar) }
        }
    }

    /// Returns the beginning of a text on one line. White space is collapsed, and a truncated text ends with an
    /// ellipsis.
    package static func summary(_ text: String, maximumCharacters: Int) -> String {
        let words = text.split { $0.isWhitespace }.joined(separator: " ")
        let start = words.prefix(maximumCharacters)
        return line(start) + (start.endIndex < words.endIndex ? "…" : "")
    }

    /// Returns a sentence with the beginning of the body of an HTTP response; an empty text if there is none. For an
    /// HTML page, it has only the text, without tags, styles and scripts.
    package static func responseBody(_ bytes: some Collection<UInt8>) -> String {
        let text = visibleText(String(decoding: bytes, as: UTF8.self))
        return text.isEmpty ? "" : " Response body: \(text)"
    }

    static func visibleText(_ body: String) -> String {
        var text = ""
        var rest = body.drop { $0.isWhitespace }
        let isPage = rest.first == "<"
        while isPage, let tag = rest.firstIndex(of: "<") {
            text += rest[..<tag] + " "
            let name = rest[tag...].dropFirst().prefix { $0.isLetter }.lowercased()
            rest = rest[tag...]
            if name == "style" || name == "script" {
                rest = rest.firstRange(of: "</\(name)").map { rest[$0.upperBound...] } ?? rest[rest.endIndex...]
            }
            rest = rest.firstIndex(of: ">").map { rest[rest.index(after: $0)...] } ?? rest[rest.endIndex...]
        }
        return summary(text + rest, maximumCharacters: 160)
    }

    /// Returns the same JSON with unsafe characters in strings escaped as `\uXXXX`.
    package static func json(_ json: [UInt8]) -> [UInt8] {
        // In valid JSON, no unsafe character is below DEL.
        guard json.contains(where: { $0 >= 0x7F }) else { return json }
        let text = String(decoding: json, as: UTF8.self).unicodeScalars
        guard text.contains(where: { $0.value >= 0x7F && isUnsafe($0) }) else { return json }
        var output: [UInt8] = []
        output.reserveCapacity(json.count)
        for scalar in text {
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

    /// Returns an escape of JSON such as `\u009b`, or two for a character beyond U+FFFF.
    private static func unicodeEscape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.reduce(into: "") { text, unit in
            let digits = String(unit, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
    }
}
