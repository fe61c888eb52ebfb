// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The parts of an authority as they are written (RFC 3986 §3.2): `user:password@host:port`. They are not checked.
package struct AuthorityParts {
    /// The text before the last `@`; `nil` without an `@`.
    package let userInformation: Substring?
    /// The host. An IPv6 address is in brackets.
    package let host: Substring
    /// The text after the colon that follows the host; `nil` without a colon.
    package let port: Substring?

    package init(_ text: Substring) {
        let bytes = text.utf8.span
        // The host begins after the last `@`, and the port after the first colon that follows the address in brackets.
        var (start, colon) = (0, Int?.none)
        for position in bytes.indices {
            switch bytes[position] {
            case UInt8(ascii: "@"): (start, colon) = (position + 1, nil)
            case UInt8(ascii: "]"): colon = nil
            case UInt8(ascii: ":"): colon = colon ?? position
            default: break
            }
        }
        func slice(_ range: Range<Int>) -> Substring {
            let first = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
            return text[first..<text.utf8.index(first, offsetBy: range.count)]
        }
        userInformation = start > 0 ? slice(0..<(start - 1)) : nil
        host = slice(start..<(colon ?? bytes.count))
        port = colon.map { slice(($0 + 1)..<bytes.count) }
    }
}

/// The host and the port of a URL of HTTP (RFC 9110 §4.2), without user information.
///
/// Links, redirects and URLs of programs pass this check before a library gets them. SwiftNIO ends the process for a
/// port above 65535.
package struct HTTPAuthority {
    /// The host as it is written. An IPv6 address is in brackets.
    package let host: Substring
    /// The port, from 1 to 65535; `nil` if none is given.
    package let port: UInt16?

    /// Parses a host with or without a port. Returns `nil` for every other text, for example one with a user name.
    package init?(_ text: String) {
        let parts = AuthorityParts(text[...])
        let digits = parts.port ?? ""
        let port = URLSyntax.port(digits)
        guard parts.userInformation == nil, Self.isHost(parts.host), port != nil || digits.isEmpty else { return nil }
        host = parts.host
        self.port = port
    }

    /// Whether a text is a host with or without a port. Each request is checked several times, so the usual form, a name
    /// without escapes, is read in one pass.
    package static func isValid(_ text: String) -> Bool {
        let (bytes, allowed) = (text.utf8.span, ASCIISet.name)
        var end = 0
        while end < bytes.count, allowed.contains(bytes[end]) { end += 1 }
        if end == bytes.count { return end > 0 }
        let isName = end > 0 && bytes[end] == UInt8(ascii: ":")
        guard isName, bytes.count - end <= 6 else { return HTTPAuthority(text) != nil }
        var port = 0
        for position in (end + 1)..<bytes.count {
            guard FieldText.isDigit(bytes[position]) else { return HTTPAuthority(text) != nil }
            port = 10 * port + Int(bytes[position] - UInt8(ascii: "0"))
        }
        return bytes.count == end + 1 || 1...65_535 ~= port
    }

    private static func isHost(_ text: Substring) -> Bool {
        guard text.utf8.first == UInt8(ascii: "[") else { return URLSyntax.isRegisteredName(text) }
        guard text.utf8.last == UInt8(ascii: "]") else { return false }
        let content = text.utf8.dropFirst().dropLast()
        let address = content.prefix { $0 != UInt8(ascii: "%") }
        let zone = Substring(content[address.endIndex...])
        return URLSyntax.isIPv6Address(Substring(address)) && (zone.isEmpty || URLSyntax.isZone(zone))
    }
}
