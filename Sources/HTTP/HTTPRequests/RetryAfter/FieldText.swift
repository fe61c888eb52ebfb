// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The characters of header fields (RFC 9110 §5.6).
enum FieldText {
    /// The bytes without spaces and tabs at both ends.
    static func trimming(_ text: Substring.UTF8View) -> Substring.UTF8View {
        var text = text
        while let first = text.first, isWhitespace(first) { text.removeFirst() }
        while let last = text.last, isWhitespace(last) { text.removeLast() }
        return text
    }

    static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func digit(_ byte: UInt8) -> UInt8? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? byte - UInt8(ascii: "0") : nil
    }

    /// The value of one or more decimal digits, lowered to a limit; `nil` for other text.
    static func number(_ text: some Collection<UInt8>, limit: Int64) -> Int64? {
        var number: Int64 = 0
        for byte in text {
            guard let digit = digit(byte) else { return nil }
            number = min(number * 10 + Int64(digit), limit)
        }
        return text.isEmpty ? nil : number
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || digit(byte) != nil }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Whether a byte belongs to tokens, such as names of fields and parameters (RFC 9110 §5.6.2).
    static func isTokenByte(_ byte: UInt8) -> Bool { ASCIISet.token.contains(byte) }
}
