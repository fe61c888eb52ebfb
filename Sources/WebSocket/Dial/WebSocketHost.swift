// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The host of a URL: a name, or an address written out.
public enum WebSocketHost: Sendable, Hashable {
    /// A registered name, in lower case.
    case name(String)
    case ipv4(String)
    /// Without the brackets. The zone is that of a link-local address (RFC 6874), such as `eth0`.
    case ipv6(String, zone: String?)

    /// Reads the host of a URL's authority; an IPv6 address is in brackets.
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
        guard text.utf8.allSatisfy(Self.isNameByte), text != "." else {
            throw URLAuthority.Fault(
                reason: "its host may hold only letters, digits, '-', '.' and '_' (other names in their xn-- form)")
        }
        self = Self.isAddress(String(text), family: AF_INET) ? .ipv4(String(text)) : .name(text.lowercased())
    }

    /// The longest name that libwebsockets passes on uncut.
    static let maximumNameBytes = 127

    private static func ipv6(in text: Substring) throws(URLAuthority.Fault) -> Self {
        let percent = text.firstIndex(of: "%") ?? text.endIndex
        let address = String(text[..<percent])
        guard isAddress(address, family: AF_INET6) else {
            throw URLAuthority.Fault(reason: "what its brackets hold is not an IPv6 address")
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

    /// As it stands in a Host field or a CONNECT request: no zone, brackets around an IPv6 address.
    var hostField: String {
        switch self {
        case .name(let name): name
        case .ipv4(let address): address
        case .ipv6(let address, _): "[\(address)]"
        }
    }

    /// As `getaddrinfo` takes it.
    var lookUpName: String {
        switch self {
        case .name(let name): name
        case .ipv4(let address): address
        case .ipv6(let address, let zone): zone.map { "\(address)%\($0)" } ?? address
        }
    }

    /// What a certificate must be for. A name's last dot, which marks it as absolute, is no part of that.
    var serverName: ServerName {
        switch self {
        case .name(let name): .name(name.hasSuffix(".") ? String(name.dropLast()) : name)
        case .ipv4(let address), .ipv6(let address, _): .address(address)
        }
    }
}

/// What a server's certificate must be for. An address is never sent as SNI (RFC 6066 §3).
enum ServerName: Sendable, Hashable {
    case name(String)
    case address(String)
}
