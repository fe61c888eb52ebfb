// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Writes the few JSON scalars that an envelope holds.
package enum JSONText {
    /// Appends a string with its quotes, escaping what RFC 8259 §7 says must be, and nothing else.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { appendContent($0, to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendContent(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        // Nearly all names are plain: those are copied as a whole.
        if text.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            return bytes.append(contentsOf: text)
        }
        for byte in text {
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
}
