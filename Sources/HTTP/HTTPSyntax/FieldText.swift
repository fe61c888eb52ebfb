// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The characters and words of header fields (RFC 9110 §5.6).
@usableFromInline package enum FieldText {
    /// Whether a byte is optional white space: a space or a tab (§5.6.3).
    package static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    package static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    package static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    package static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

    /// The value of a hexadecimal digit; `nil` for any other byte.
    @inlinable package static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Whether a byte belongs to tokens, such as names of fields and parameters (§5.6.2).
    package static func isTokenByte(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || tokenMarks.contains(byte) }

    private static let tokenMarks = Array("!#$%&'*+-.^_`|~".utf8)

    /// Whether a text is a token (§5.6.2). The empty text is not.
    package static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// Whether a byte can be a part of a field's value (§5.5): it is not a control character, or it is a tab.
    package static func isValueByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

    /// The value of one or more decimal digits, lowered to a limit; `nil` for other text. The limit is at most 10¹⁷.
    package static func number(_ text: some Collection<UInt8>, limit: Int64) -> Int64? {
        var number: Int64 = 0
        for byte in text {
            guard isDigit(byte) else { return nil }
            number = min(number * 10 + Int64(byte - UInt8(ascii: "0")), limit)
        }
        return text.isEmpty ? nil : number
    }

    /// The text without white space at both ends.
    package static func trimming(_ text: Substring) -> Substring {
        var bytes = text.utf8.drop(while: isWhitespace)
        while let last = bytes.last, isWhitespace(last) { bytes.removeLast() }
        return Substring(bytes)
    }
}

// MARK: Words, lists and parameters

extension FieldText {
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// Returns the text of a token or of a quoted string (§5.6.2, §5.6.4); `nil` for other text.
    package static func word(_ text: Substring) -> String? {
        guard text.utf8.first == quote else { return isToken(text) ? String(text) : nil }
        let (content, end) = quotedString(text, from: text.startIndex)
        return end == text.endIndex && content.allSatisfy(isValueByte) ? String(decoding: content, as: UTF8.self) : nil
    }

    /// Returns a text as a quoted string (§5.6.4).
    package static func quoted(_ text: String) -> String {
        var scalars = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { scalars.append("\\") }
            scalars.append(scalar)
        }
        scalars.append("\"")
        return String(scalars)
    }

    /// Returns a text as the value of a parameter (§5.6.6): in quotes unless it is a token.
    package static func parameterValue(_ text: String) -> String { isToken(text) ? text : quoted(text) }

    /// Splits the value of a field at a separator outside of quoted strings, and trims the parts.
    ///
    /// An unclosed quote begins no quoted string, so it does not hide the parts after it.
    package static func parts(of value: String, at separator: UInt8) -> [Substring] {
        let (value, bytes) = (value[...], value.utf8)
        var parts: [Substring] = []
        var (start, index) = (value.startIndex, value.startIndex)
        var hasOpenQuote = false
        while index < value.endIndex {
            let byte = bytes[index]
            if byte == quote, !hasOpenQuote {
                if let end = quotedString(value, from: index).end {
                    index = end
                    continue
                }
                hasOpenQuote = true
            } else if byte == separator {
                parts.append(trimming(value[start..<index]))
                start = bytes.index(after: index)
            }
            index = bytes.index(after: index)
        }
        parts.append(trimming(value[start...]))
        return parts
    }

    /// Returns the elements of a list (§5.6.1). Empty elements are left out.
    package static func elements(of value: String) -> [String] {
        parts(of: value, at: UInt8(ascii: ",")).filter { !$0.isEmpty }.map(String.init)
    }

    /// Returns the challenges in the values of the field `WWW-Authenticate` (§11.6.1). The parameters are not parsed; if
    /// a challenge has a token in their place, that is the only one.
    package static func challenges(of values: [String]) -> [(scheme: Substring, parameters: [Substring])] {
        var challenges: [(scheme: Substring, parameters: [Substring])] = []
        for element in values.flatMap(elements(of:)) {
            let word = element.prefix { $0 != " " && $0 != "\t" && $0 != "=" }
            var parameter = trimming(element[word.endIndex...])
            // An element without `=` after its first word begins with a scheme.
            if parameter.first == "=" { parameter = element[...] } else { challenges.append((word, [])) }
            if let last = challenges.indices.last, !parameter.isEmpty { challenges[last].parameters.append(parameter) }
        }
        return challenges
    }

    /// Returns the content of the quoted string that begins at a quote, without escapes, and the index after its end.
    /// The index is `nil` if the string is not closed.
    package static func quotedString(
        _ text: Substring, from start: String.Index
    ) -> (content: [UInt8], end: String.Index?) {
        let bytes = text.utf8
        var content: [UInt8] = []
        var index = bytes.index(after: start)
        while index < bytes.endIndex {
            var byte = bytes[index]
            index = bytes.index(after: index)
            if byte == quote { return (content, index) }
            if byte == backslash, index < bytes.endIndex {
                byte = bytes[index]
                index = bytes.index(after: index)
            }
            content.append(byte)
        }
        return (content, nil)
    }
}
