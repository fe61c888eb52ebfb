// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// The grammar of a URL's scheme, host and port (RFC 3986 §3).
package enum URLSyntax {
    /// Whether a text is a scheme (§3.1): a letter, then letters, digits, `+`, `-` and `.`.
    package static func isScheme(_ text: Substring) -> Bool {
        text.utf8.first.map(FieldText.isLetter) ?? false && text.utf8.allSatisfy(ASCIISet.scheme.contains)
    }

    /// The value of a port from 1 to 65535; `nil` for all other text.
    package static func port(_ digits: Substring) -> UInt16? {
        guard let port = FieldText.number(digits.utf8, limit: 1 << 16), port > 0 else { return nil }
        return UInt16(exactly: port)
    }

    /// Whether a text is a registered name (§3.2.2) that is not empty (RFC 9110 §4.2.1). IPv4 addresses are names, too.
    static func isRegisteredName(_ text: Substring) -> Bool {
        let allowed = ASCIISet.name
        return !text.isEmpty && text.utf8.allSatisfy { allowed.contains($0) || $0 == UInt8(ascii: "%") }
            && PercentEncoding.isWellFormed(text)
    }

    // MARK: Addresses

    /// Whether a text is an IPv4 address (§3.2.2): four decimal numbers up to 255, without leading zeros.
    package static func isIPv4Address(_ text: Substring) -> Bool { isAddress(text, AF_INET) }

    /// Whether a text is an IPv6 address (§3.2.2), without brackets and zone.
    package static func isIPv6Address(_ text: Substring) -> Bool { isAddress(text, AF_INET6) }

    private static func isAddress(_ text: Substring, _ family: Int32) -> Bool {
        // For the C library, the text would end at a NUL.
        guard !text.utf8.contains(0) else { return false }
        var address = in6_addr()
        return unsafe inet_pton(family, String(text), &address) == 1
    }

    /// Whether a text is the zone of an IPv6 address (RFC 6874 §2): `%25` and unreserved characters. Escapes, which the
    /// RFC allows in the zone itself, are refused, because they could hide a delimiter.
    package static func isZone(_ text: Substring) -> Bool {
        let text = text.utf8
        return text.starts(with: "%25".utf8) && text.count > 3
            && text.dropFirst(3).allSatisfy(ASCIISet.unreserved.contains)
    }

    // MARK: Names that mislead

    /// The reason why programs read a name differently.
    package enum NameFault: Sendable {
        /// The name starts with a dot, or has two dots in a row. OpenSSL reads a name that starts with a dot as a rule
        /// for all its subdomains.
        case emptyLabel
        /// The last label is a number. The resolver reads `127.1`, `0x7f000001` and `2130706433` as addresses, and code
        /// that compares names would not recognize these.
        case number
    }

    /// Returns the fault of a host; `nil` if it has none. IPv4 addresses and hosts in brackets have none.
    package static func nameFault(in host: Substring) -> NameFault? {
        if host.utf8.first == UInt8(ascii: "[") || isIPv4Address(host) { return nil }
        var labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // A dot at the end marks a name as absolute.
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard labels.allSatisfy({ !$0.isEmpty }) else { return .emptyLabel }
        return labels.last.map(isNumber) ?? false ? .number : nil
    }

    /// Whether the resolver reads a label as a decimal, octal or hexadecimal number.
    private static func isNumber(_ label: Substring.UTF8View) -> Bool {
        if label.allSatisfy(FieldText.isDigit) { return true }
        guard label.first == UInt8(ascii: "0"), label.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x") else {
            return false
        }
        return label.dropFirst(2).allSatisfy { FieldText.hexDigit($0) != nil }
    }
}
