// swift-jsonrpc · SPDX-License-Identifier: MIT

extension String {
    /// The default maximum number of Unicode scalars from a peer's text in an error message.
    package static let printableLimit = 256

    /// Returns a peer's text in a form that is safe in an error message: escaped and bounded.
    ///
    /// Control characters (C0, DEL and C1), line separators, invisible format characters (including bidirectional
    /// controls), private-use and unassigned characters are shown as escapes such as `\u{1B}` or `\n`. So the text
    /// cannot control a terminal, start a line of a log, or reorder the text around it. `limit` is the maximum number
    /// of Unicode scalars to take from the text. An ellipsis replaces the rest.
    package static func printable(_ text: some StringProtocol, limit: Int = printableLimit) -> String {
        if text.utf8.count <= limit, text.unicodeScalars.allSatisfy(\.isPrintable) { return String(text) }
        var result = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < limit else { return result + "…" }
            if scalar.isPrintable {
                result.unicodeScalars.append(scalar)
            } else {
                result += scalar.escaped(asASCII: true)
            }
        }
        return result
    }

    /// Returns a peer's bytes as escaped and bounded text. Bytes that are not UTF-8 are shown as U+FFFD.
    package static func printable(_ bytes: some Collection<UInt8>, limit: Int = printableLimit) -> String {
        // A scalar has at most four bytes. One scalar beyond the limit shows whether the text is longer.
        printable(String(decoding: bytes.prefix((limit + 1) * 4), as: UTF8.self), limit: limit)
    }
}

extension Unicode.Scalar {
    /// Whether a terminal or a log shows the character and does not interpret it.
    package var isPrintable: Bool {
        // Printable ASCII is checked first, because looking up the category of a character is slow.
        if value >= 0x20, value < 0x7F { return true }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return false
        default: return true
        }
    }
}
