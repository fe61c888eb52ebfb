// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Formats numbers for people and for JSON, without exponents and independent of the locale.
package enum DecimalText {
    /// Returns the value rounded to a number of decimals, with trailing zeros. A value that is not finite becomes 0.
    package static func fixed(_ value: Double, digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = (value * scale).rounded()
        guard scaled.isFinite, let whole = Int64(exactly: scaled) else { return "0" }
        guard digits > 0 else { return String(whole) }
        var text = String(whole.magnitude)
        text = String(repeating: "0", count: max(0, digits + 1 - text.utf8.count)) + text
        let split = text.index(text.endIndex, offsetBy: -digits)
        return (whole < 0 ? "-" : "") + text[..<split] + "." + text[split...]
    }

    /// Returns the value with up to nine decimals, without trailing zeros.
    package static func short(_ value: Double) -> String {
        var text = fixed(value, digits: 9)
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }

    /// Returns a whole number in groups of three digits: `1 234 567`.
    package static func grouped(_ value: UInt64) -> String {
        var text = ""
        for (index, digit) in String(value).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(" ") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// Returns a text that is right-aligned in a column.
    package static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

extension String {
    /// Returns the text with blanks up to a column, and at least one.
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}

extension Duration {
    package var inSeconds: Double { self / .seconds(1) }
}
