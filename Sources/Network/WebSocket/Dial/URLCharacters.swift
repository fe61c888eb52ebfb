// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// The characters that the parts of a URL can contain (RFC 3986 §2 and §3).
enum URLCharacters {
    /// The characters that a path and a query can contain beside those of every part (§3.3 and §3.4).
    static let targetMarks = Array("/?@".utf8)

    /// Returns the reason why a text cannot be a part of a URL, or `nil`. It completes "Could not use the URL: …".
    /// `marks` are the characters that the part can contain beside unreserved characters, sub-delimiters and `:`.
    static func fault(in text: Substring, allowing marks: [UInt8] = []) -> String? {
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.prefix(2).count == 2, rest.prefix(2).allSatisfy(isHexDigit) else {
                    return "a percent sign is not followed by two hexadecimal digits"
                }
                rest = rest.dropFirst(2)
            } else if !isUnreserved(byte), !subDelimiters.contains(byte), byte != UInt8(ascii: ":"),
                !marks.contains(byte)
            {
                return fault(of: byte)
            }
        }
        return nil
    }

    /// Returns the reason for a byte that a URL cannot contain.
    static func fault(of byte: UInt8) -> String {
        let digits = hexDigits(of: byte)
        let character = (0x21..<0x7F).contains(byte) ? " (\(Unicode.Scalar(byte)))" : ""
        return "it contains the byte 0x\(digits)\(character), which must be percent-encoded as %\(digits)"
    }

    /// Returns the path of a Unix domain socket for a URL. All characters but unreserved characters and slashes are
    /// encoded.
    static func percentEncoded(socketPath path: String) -> String {
        path.utf8.reduce(into: "") { text, byte in
            if isUnreserved(byte) || byte == UInt8(ascii: "/") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + hexDigits(of: byte)
            }
        }
    }

    private static func hexDigits(of byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0" + digits : digits
    }

    /// Returns whether a byte can occur anywhere in a URL.
    static func isURLByte(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || subDelimiters.contains(byte) || genericDelimiters.contains(byte)
            || byte == UInt8(ascii: "%")
    }

    /// Returns whether a byte can occur in a scheme (§3.1).
    static func isSchemeByte(_ byte: UInt8) -> Bool { FieldText.isLetterOrDigit(byte) || schemeMarks.contains(byte) }

    static func isHexDigit(_ byte: UInt8) -> Bool { FieldText.hexDigit(byte) != nil }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        FieldText.isLetterOrDigit(byte) || unreservedMarks.contains(byte)
    }

    private static let schemeMarks = Array("+-.".utf8)
    private static let unreservedMarks = Array("-._~".utf8)
    private static let subDelimiters = Array("!$&'()*+,;=".utf8)
    private static let genericDelimiters = Array(":/?#[]@".utf8)
}

extension String {
    /// Decodes percent-encoded UTF-8 (RFC 3986 §2.1). Returns `nil` if a percent sign is not followed by two
    /// hexadecimal digits, or if the bytes are not UTF-8.
    init?(percentEncoded text: Substring) {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(FieldText.hexDigit),
                let low = rest.popFirst().flatMap(FieldText.hexDigit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        self.init(validating: bytes, as: UTF8.self)
    }
}
