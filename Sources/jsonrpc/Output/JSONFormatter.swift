// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// Lays out a JSON value for reading, or on one line. Numbers, strings and the order of members stay byte for byte as
/// they came.
struct JSONFormatter: Equatable {
    enum Style: Equatable {
        /// One member or element a line, two spaces for each level.
        case pretty
        /// No white space outside strings.
        case compact
    }

    var style: Style

    /// The value in this style, without a line feed at its end.
    func format(_ json: RawJSON) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(json.bytes.count + json.bytes.count / 2)
        var depth = 0
        var isInString = false
        var isEscaped = false
        // The bracket that was just opened, while nothing has followed it.
        var isFresh = false

        for byte in json.bytes {
            if isInString {
                output.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if !isFresh { breakLine(depth, &output) }
                output.append(byte)
                isFresh = false
                continue
            case UInt8(ascii: ","):
                output.append(byte)
                breakLine(depth, &output)
                continue
            case UInt8(ascii: ":"):
                output.append(byte)
                if style == .pretty { output.append(0x20) }
                continue
            default: break
            }
            if isFresh {
                breakLine(depth, &output)
                isFresh = false
            }
            output.append(byte)
            if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
                isFresh = true
            }
        }
        return output
    }

    private func breakLine(_ depth: Int, _ output: inout [UInt8]) {
        guard style == .pretty else { return }
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: 2 * max(depth, 0)))
    }
}
