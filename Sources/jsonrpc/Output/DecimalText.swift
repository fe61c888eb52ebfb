// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Numbers for people and for JSON: never an exponent, never a locale.
enum DecimalText {
    /// The value rounded to so many digits behind the point, all of them written. What is not finite reads 0.
    static func fixed(_ value: Double, digits: Int) -> String {
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

    /// A whole number with thin groups of three: `1 234 567`.
    static func grouped(_ value: UInt64) -> String {
        var text = ""
        for (index, digit) in String(value).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(" ") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// Text at the right end of a column.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
