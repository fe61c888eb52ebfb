// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// The host of a URL: a name or a numeric address.
package enum URLHost: Sendable, Hashable {
    /// A registered name, in lower case.
    case name(String)
    case ipv4(String)
    /// An IPv6 address without brackets. The zone, such as `eth0`, belongs to a link-local address (RFC 6874).
    case ipv6(String, zone: String?)

    /// Parses the host in a URL's authority. An IPv6 address is in brackets.
    init(_ text: Substring) throws(URLAuthority.Fault) {
        if text.hasPrefix("[") {
            guard text.hasSuffix("]") else { throw URLAuthority.Fault(reason: "its IPv6 address is not closed by ]") }
            self = try Self.ipv6(in: text.dropFirst().dropLast())
            return
        }
        guard !text.isEmpty else { throw URLAuthority.Fault(reason: "it has no host") }
        guard text.utf8.count <= Self.maximumNameBytes else {
            throw URLAuthority.Fault(reason: "its host is longer than \(Self.maximumNameBytes) bytes")
        }
        guard text.utf8.allSatisfy(Self.isNameByte) else {
            throw URLAuthority.Fault(
                reason:
                    "its host can contain only letters, digits, '-', '.' and '_'; write other names in their xn-- form")
        }
        guard !Self.isAddress(String(text), family: AF_INET) else {
            self = .ipv4(String(text))
            return
        }
        try Self.checkLabels(of: text)
        self = .name(text.lowercased())
    }

    /// Checks the labels between a name's dots.
    ///
    /// OpenSSL reads a name that starts with a dot as a rule for all its subdomains. The resolver reads `127.1`,
    /// `0x7f000001` and `2130706433` as addresses, and code that compares names would not recognize these.
    private static func checkLabels(of name: Substring) throws(URLAuthority.Fault) {
        var labels = name.split(separator: ".", omittingEmptySubsequences: false)
        // A dot at the end marks a name as absolute.
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard labels.allSatisfy({ !$0.isEmpty }) else {
            throw URLAuthority.Fault(reason: "its host starts with a dot, or has two dots in a row")
        }
        guard let last = labels.last?.utf8, !isNumber(last) else {
            throw URLAuthority.Fault(
                reason: "its host ends in a number, but is not an IPv4 address of four decimal parts such as 127.0.0.1")
        }
    }

    /// Returns whether the resolver reads a label as a decimal, octal or hexadecimal number.
    private static func isNumber(_ label: Substring.UTF8View) -> Bool {
        if label.allSatisfy(URLCharacters.isDigit) { return true }
        guard label.first == UInt8(ascii: "0"), label.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x") else {
            return false
        }
        return label.dropFirst(2).allSatisfy(URLCharacters.isHexDigit)
    }

    /// The maximum length of a name. DNS allows 253 bytes (RFC 1035 §2.3.4).
    static let maximumNameBytes = 253

    private static func ipv6(in text: Substring) throws(URLAuthority.Fault) -> Self {
        let percent = text.firstIndex(of: "%") ?? text.endIndex
        let address = String(text[..<percent])
        guard isAddress(address, family: AF_INET6) else {
            throw URLAuthority.Fault(reason: "the text in its brackets is not an IPv6 address")
        }
        guard percent != text.endIndex else { return .ipv6(address, zone: nil) }
        let zone = text[percent...]
        guard zone.hasPrefix("%25"), zone.utf8.count > 3, zone.dropFirst(3).utf8.allSatisfy(isNameByte) else {
            throw URLAuthority.Fault(reason: "the zone of its IPv6 address is not written as %25 and a name")
        }
        return .ipv6(address, zone: String(zone.dropFirst(3)))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    static func isAddress(_ text: String, family: Int32) -> Bool {
        var address = in6_addr()
        return unsafe inet_pton(family, text, &address) == 1
    }

    /// The host in a `Host` field or a CONNECT request: without a zone, with brackets around an IPv6 address.
    var hostField: String {
        switch self {
        case .name(let name): name
        case .ipv4(let address): address
        case .ipv6(let address, _): "[\(address)]"
        }
    }

    /// The host as an argument of `getaddrinfo`.
    package var lookUpName: String {
        switch self {
        case .name(let name): name
        case .ipv4(let address): address
        case .ipv6(let address, let zone): zone.map { "\(address)%\($0)" } ?? address
        }
    }

    /// The name or address that the server's certificate must be for. A dot at the end of a name is left out.
    var serverName: ServerName {
        switch self {
        case .name(let name): .name(name.hasSuffix(".") ? String(name.dropLast()) : name)
        case .ipv4(let address), .ipv6(let address, _): .address(address)
        }
    }
}

/// The name or address that a server's certificate must be for. An address is never sent as SNI (RFC 6066 §3).
enum ServerName: Sendable, Hashable {
    case name(String)
    case address(String)
}
