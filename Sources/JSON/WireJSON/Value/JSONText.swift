// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONValue {
    /// Appends the value to a buffer, without white space.
    package func write(into bytes: inout [UInt8], escapesSlashes: Bool = false) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.description.utf8)
        case .string(let string): JSONText.writeString(string, into: &bytes, escapesSlashes: escapesSlashes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(into: &bytes, escapesSlashes: escapesSlashes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.writeString(member.key, into: &bytes, escapesSlashes: escapesSlashes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(into: &bytes, escapesSlashes: escapesSlashes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

/// Writes scalars as JSON text.
package enum JSONText {
    /// The maximum number of bytes of an integer: 19 digits and a sign.
    package static let maximumDigits = 20

    /// Writes an integer at the end of `buffer`, which needs ``maximumDigits`` bytes, and returns its start index.
    @inline(__always)
    package static func writeDigits(_ value: Int64, endingAt buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var first = buffer.count
        var rest = value.magnitude
        repeat {
            first &-= 1
            unsafe buffer[first] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 {
            first &-= 1
            unsafe buffer[first] = UInt8(ascii: "-")
        }
        return first
    }

    @inline(__always)
    package static func writeInteger(_ value: Int64, into bytes: inout [UInt8]) {
        if 0..<10 ~= value { return bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value)) }
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumDigits) { buffer in
            unsafe bytes.append(contentsOf: buffer[writeDigits(value, endingAt: buffer)...])
        }
    }

    package static func writeIntegers(_ values: [Int], into bytes: inout [UInt8]) {
        // A guess for the usual small numbers, so that small arrays do not have to grow.
        if bytes.isEmpty { bytes.reserveCapacity(16 + 4 * values.count) }
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for value in values {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            writeInteger(Int64(value), into: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Whether a string's UTF-8 can be written between quotes unchanged (RFC 8259 §7).
    package static func needsNoEscape(_ content: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe OutputBuffer.plainPrefix(content, escapesSlashes: false) == content.count
    }

    /// Writes a string with its quotes. It escapes the characters that RFC 8259 §7 requires, and slashes if requested.
    @inline(__always)
    package static func writeString(_ string: String, into bytes: inout [UInt8], escapesSlashes: Bool = false) {
        var string = string
        string.withUTF8 { content in
            bytes.append(UInt8(ascii: "\""))
            if unsafe OutputBuffer.plainPrefix(content, escapesSlashes: escapesSlashes) == content.count {
                unsafe bytes.append(contentsOf: content)
                bytes.append(UInt8(ascii: "\""))
            } else {
                var output = OutputBuffer(capacity: content.count + content.count / 4 + 16)
                unsafe output.append(content: content, escapesSlashes: escapesSlashes)
                unsafe bytes.append(contentsOf: output.text.dropFirst())
            }
        }
    }
}
