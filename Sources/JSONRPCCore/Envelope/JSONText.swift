// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes and reads the few JSON scalars that an envelope holds.
package enum JSONText {
    // MARK: Writing

    /// Appends a string with its quotes, escaping what RFC 8259 §7 says must be, and nothing else.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x20...: bytes.append(byte)
            case 0x08: bytes.append(contentsOf: "\\b".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0C: bytes.append(contentsOf: "\\f".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            default:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(hexDigit(byte >> 4))
                bytes.append(hexDigit(byte & 0xF))
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// The most bytes an `Int64` takes: 19 digits and a sign.
    package static let maximumDigits = 20

    /// Writes a number's digits at the end of `buffer`, which holds at least ``maximumDigits``, and returns where
    /// they begin.
    package static func writeDigits(_ number: Int64, endingAt buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var position = buffer.count
        var rest = number.magnitude
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            position -= 1
            buffer[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            rest = quotient
        } while rest != 0
        if number < 0 {
            position -= 1
            buffer[position] = UInt8(ascii: "-")
        }
        return position
    }

    package static func append(_ number: Int64, to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumDigits) { buffer in
            buffer.initialize(repeating: 0)
            bytes.append(contentsOf: buffer[writeDigits(number, endingAt: buffer)...])
        }
    }

    package static func append(_ id: RequestID, to bytes: inout [UInt8]) {
        switch id {
        case .number(let number): append(number, to: &bytes)
        case .string(let text): append(text, to: &bytes)
        }
    }

    /// The lower case digit for a value below 16.
    static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    // MARK: Reading

    /// The text of a JSON string whose content, without the quotes, lies in `range`.
    ///
    /// The content has been found valid before. A lone surrogate, which JSON allows and Unicode text cannot hold,
    /// becomes U+FFFD.
    package static func string(in bytes: UnsafeRawBufferPointer, at range: Range<Int>, isEscaped: Bool) -> String {
        let content = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard isEscaped else { return String(decoding: content, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var rest = content[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
                text.append(byte)
                continue
            }
            switch kind {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "u"): text.append(contentsOf: Character(escapedScalar(&rest)).utf8)
            default: text.append(kind)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the digits behind `\u`, and a second escape where the two make a surrogate pair.
    private static func escapedScalar(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Unicode.Scalar {
        let replacement: Unicode.Scalar = "\u{FFFD}"
        guard let unit = hexUnit(&rest) else { return replacement }
        guard unit & 0xFC00 == 0xD800 else { return Unicode.Scalar(unit) ?? replacement }
        var ahead = rest
        guard ahead.popFirst() == UInt8(ascii: "\\"), ahead.popFirst() == UInt8(ascii: "u"),
            let low = hexUnit(&ahead), low & 0xFC00 == 0xDC00
        else { return replacement }
        rest = ahead
        return Unicode.Scalar(0x10000 + ((unit & 0x3FF) << 10) + (low & 0x3FF)) ?? replacement
    }

    private static func hexUnit(_ rest: inout Slice<UnsafeRawBufferPointer>) -> UInt32? {
        guard rest.count >= 4 else { return nil }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = rest.popFirst(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                return nil
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }
}
