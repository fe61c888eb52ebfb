// swift-jsonrpc · SPDX-License-Identifier: MIT

package import HTTPSyntax

/// The reasons why a text cannot be a part of a URL. They continue "Could not use the URL: …".
package enum URLCharacters {
    /// Returns the fault of a text that may contain the allowed characters and escapes, or `nil` if it has none.
    package static func fault(in text: Substring, allowing allowed: ASCIISet) -> String? {
        if let byte = text.utf8.first(where: { !allowed.contains($0) && $0 != UInt8(ascii: "%") }) {
            return fault(of: byte)
        }
        return PercentEncoding.isWellFormed(text) ? nil : "a percent sign is not followed by two hexadecimal digits"
    }

    /// Returns the fault of a byte that a URL cannot contain.
    package static func fault(of byte: UInt8) -> String {
        var bytes: [UInt8] = []
        PercentEncoding.append(byte, to: &bytes)
        let escape = String(decoding: bytes, as: UTF8.self)
        let character = (0x21..<0x7F).contains(byte) ? " (\(Unicode.Scalar(byte)))" : ""
        return "it contains the byte 0x\(escape.dropFirst())\(character), which must be percent-encoded as \(escape)"
    }
}
