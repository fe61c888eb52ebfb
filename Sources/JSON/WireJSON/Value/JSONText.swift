// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONValue {
    /// Writes the value at the end of a buffer, without white space.
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

/// JSON text out of scalars.
package enum JSONText {
    /// The most bytes an integer takes: 19 digits and a sign.
    package static let maximumDigits = 20

    /// Writes an integer at the end of `buffer`, which holds at least ``maximumDigits``, and returns where it begins.
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
        // A guess for the usual small numbers, which spares small arrays the growing.
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

    /// True when a string's UTF-8 can stand between quotes as it is (RFC 8259 §7).
    package static func needsNoEscape(_ content: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe OutputBuffer.plainPrefix(content, escapesSlashes: false) == content.count
    }

    /// Writes a string with its quotes; escapes what RFC 8259 §7 requires, and slashes when told to.
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
