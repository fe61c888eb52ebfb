// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// The host and the port of a URL of HTTP (RFC 9110 §4.2), without user information.
///
/// Links, redirects and URLs of programs pass this check before a library gets them. SwiftNIO ends the process for a
/// port above 65535.
package struct HTTPAuthority {
    /// The port, from 1 to 65535; `nil` if none is given.
    package let port: UInt16?
    private let text: String
    private let hostEnd: String.Index

    /// The host as it is written. An IPv6 address is in brackets.
    package var host: Substring { text[..<hostEnd] }

    /// Parses a host with or without a port. Returns `nil` for every other text, for example one with a user name.
    package init?(_ text: String) {
        let bytes = text.utf8
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")),
                Self.isAddress(bytes[..<bracket].dropFirst())
            else { return nil }
            hostEnd = bytes.index(after: bracket)
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            guard hostEnd > bytes.startIndex, Self.isName(bytes[..<hostEnd]) else { return nil }
        }
        self.text = text
        let rest = bytes[hostEnd...]
        guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { return nil }
        let digits = rest.dropFirst()
        port = Self.port(digits)
        if port == nil, !digits.isEmpty { return nil }
    }

    private static func port(_ digits: Substring.UTF8View) -> UInt16? {
        guard digits.allSatisfy(FieldText.isDigit), let port = UInt16(Substring(digits)) else { return nil }
        return port > 0 ? port : nil
    }

    /// Whether bytes may be a registered name or an IPv4 address (RFC 3986 §3.2.2).
    private static func isName(_ bytes: Substring.UTF8View) -> Bool {
        let allowed = ASCIISet.name
        var hasEscapes = false
        for byte in bytes {
            if byte == UInt8(ascii: "%") { hasEscapes = true } else if !allowed.contains(byte) { return false }
        }
        return !hasEscapes || PercentEncoding.isWellFormed(bytes)
    }

    /// Whether bytes may be an IPv6 address. Its zone (RFC 6874) follows `%25`.
    private static func isAddress(_ bytes: Substring.UTF8View) -> Bool {
        let address = bytes.prefix { $0 != UInt8(ascii: "%") }
        guard address.contains(UInt8(ascii: ":")) else { return false }
        let isHexadecimal = address.allSatisfy {
            FieldText.hexDigit($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
        let zone = bytes[address.endIndex...]
        guard isHexadecimal, !zone.isEmpty else { return isHexadecimal }
        return zone.starts(with: "%25".utf8) && zone.count > 3
            && zone.dropFirst(3).allSatisfy(ASCIISet.unreserved.contains)
    }
}
