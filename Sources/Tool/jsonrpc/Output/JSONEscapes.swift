// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Replaces the escapes of JSON strings by the characters, for people: `\u00e9` by `é`.
enum JSONEscapes {
    /// Returns the same JSON with the characters of escapes outside ASCII. Characters that are invisible or could control a
    /// terminal stay escaped, and so do halves of surrogate pairs.
    static func replaced(in json: [UInt8]) -> [UInt8] {
        let backslash = UInt8(ascii: "\\")
        guard json.contains(backslash) else { return json }
        var output: [UInt8] = []
        output.reserveCapacity(json.count)
        var rest = json[...]
        while let byte = rest.first {
            guard byte == backslash else {
                output.append(byte)
                rest.removeFirst()
                continue
            }
            if let (scalar, length) = scalar(at: rest), isVisible(scalar) {
                output.append(contentsOf: String(scalar).utf8)
                rest.removeFirst(length)
            } else {
                // Also the second backslash of an escaped backslash.
                output.append(contentsOf: rest.prefix(2))
                rest.removeFirst(min(2, rest.count))
            }
        }
        return output
    }

    /// Returns the character of the escape at the beginning, and the length of the escape.
    private static func scalar(at bytes: ArraySlice<UInt8>) -> (Unicode.Scalar, length: Int)? {
        guard let high = unit(at: bytes) else { return nil }
        if let scalar = Unicode.Scalar(UInt32(high)) { return (scalar, 6) }
        guard let low = unit(at: bytes.dropFirst(6)), UTF16.isLeadSurrogate(high), UTF16.isTrailSurrogate(low) else {
            return nil
        }
        return (UTF16.decode(UTF16.EncodedScalar([high, low])), 12)
    }

    private static func unit(at bytes: ArraySlice<UInt8>) -> UInt16? {
        let escape = bytes.prefix(6)
        guard escape.count == 6, escape.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else { return nil }
        return UInt16(String(decoding: escape.dropFirst(2), as: UTF8.self), radix: 16)
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0xA0, !TerminalText.isUnsafe(scalar) else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return false
        default: return true
        }
    }
}
