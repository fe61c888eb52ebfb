// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONValue {
    /// Writes the value at the end of a buffer, without white space.
    package func write(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.description.utf8)
        case .string(let string): JSONText.writeString(string, into: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.writeString(member.key, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

/// JSON text out of scalars.
package enum JSONText {
    /// Writes a string with its quotes; escapes what RFC 8259 §7 requires and nothing else.
    package static func writeString(_ string: String, into bytes: inout [UInt8]) {
        var string = string
        bytes.append(UInt8(ascii: "\""))
        string.withUTF8 { writeContent($0, into: &bytes) }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func writeContent(_ content: UnsafeBufferPointer<UInt8>, into bytes: inout [UInt8]) {
        var written = 0
        for index in content.indices {
            let byte = content[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            bytes.append(contentsOf: content[written..<index])
            writeEscape(byte, into: &bytes)
            written = index + 1
        }
        bytes.append(contentsOf: content[written...])
    }

    private static func writeEscape(_ byte: UInt8, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            bytes.append("0123456789abcdef".utf8.dropFirst(Int(byte & 0x0F)).first ?? UInt8(ascii: "0"))
        }
    }
}
