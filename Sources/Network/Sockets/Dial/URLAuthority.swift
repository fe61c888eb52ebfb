// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import HTTPSyntax

/// The authority of a URL: `user:password@host:port` (RFC 3986 §3.2). Its faults continue "Could not use the URL: …".
package struct URLAuthority {
    package var credentials: BasicCredentials?
    package var host: URLHost
    package var port: UInt16?

    package init(_ text: Substring) throws(SocketFault) {
        let parts = AuthorityParts(text)
        if let userInformation = parts.userInformation {
            guard !userInformation.utf8.contains(UInt8(ascii: "@")) else {
                throw SocketFault("it contains a second '@' before its host; in a password, write it as %40")
            }
            credentials = try Self.credentials(in: userInformation)
        }
        host = try URLHost(parts.host)
        guard let digits = parts.port, !digits.isEmpty else { return }
        port = URLSyntax.port(digits)
        if port == nil { throw SocketFault("its port is not a number from 1 to 65535") }
    }

    private static func credentials(in text: Substring) throws(SocketFault) -> BasicCredentials? {
        if text.isEmpty { return nil }
        if let fault = URLCharacters.fault(in: text, allowing: .userInformation) { throw SocketFault(fault) }
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        guard let user = String(percentEncoded: text[..<colon]),
            let password = String(percentEncoded: text[colon...].dropFirst())
        else { throw SocketFault("its user name or password is not percent-encoded UTF-8") }
        guard let credentials = BasicCredentials(user: user, password: password) else {
            throw SocketFault(
                "its user name contains a colon, or its user name or password contains a control character")
        }
        return credentials
    }
}

/// The host of a URL: a name or a numeric address.
package enum URLHost: Sendable, Hashable {
    /// A registered name, in lower case.
    case name(String)
    case ipv4(String)
    /// An IPv6 address without brackets. The zone, such as `eth0`, belongs to a link-local address (RFC 6874).
    case ipv6(String, zone: String?)

    /// Parses the host in a URL's authority. An IPv6 address is in brackets.
    init(_ text: Substring) throws(SocketFault) {
        if text.hasPrefix("[") {
            guard text.hasSuffix("]") else { throw SocketFault("its IPv6 address is not closed by ]") }
            self = try Self.ipv6(in: text.dropFirst().dropLast())
            return
        }
        guard !text.isEmpty else { throw SocketFault("it has no host") }
        guard text.utf8.count <= Self.maximumNameBytes else {
            throw SocketFault("its host is longer than \(Self.maximumNameBytes) bytes")
        }
        guard text.utf8.allSatisfy(Self.isNameByte) else {
            throw SocketFault(
                "its host can contain only letters, digits, '-', '.' and '_'; write other names in their xn-- form")
        }
        switch URLSyntax.nameFault(in: text) {
        case .emptyLabel: throw SocketFault("its host starts with a dot, or has two dots in a row")
        case .number:
            throw SocketFault(
                "its host ends in a number, but is not an IPv4 address of four decimal parts such as 127.0.0.1")
        case nil: self = URLSyntax.isIPv4Address(text) ? .ipv4(String(text)) : .name(text.lowercased())
        }
    }

    /// The maximum length of a name. DNS allows 253 bytes (RFC 1035 §2.3.4).
    static let maximumNameBytes = 253

    private static func ipv6(in text: Substring) throws(SocketFault) -> Self {
        let address = text.prefix { $0 != "%" }
        guard URLSyntax.isIPv6Address(address) else {
            throw SocketFault("the text in its brackets is not an IPv6 address")
        }
        let zone = text[address.endIndex...]
        if zone.isEmpty { return .ipv6(String(address), zone: nil) }
        guard URLSyntax.isZone(zone) else {
            throw SocketFault("the zone of its IPv6 address is not written as %25 and a name")
        }
        return .ipv6(String(address), zone: String(zone.dropFirst(3)))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        FieldText.isLetterOrDigit(byte) || "-._".utf8.contains(byte)
    }

    /// The host in a `Host` field or a CONNECT request: without a zone, and with brackets around an IPv6 address.
    package var hostField: String {
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

    /// The host that the server's certificate must name, without a zone, and without a dot at the end.
    package var serverName: URLHost {
        switch self {
        case .name(let name): .name(name.hasSuffix(".") ? String(name.dropLast()) : name)
        case .ipv4: self
        case .ipv6(let address, _): .ipv6(address, zone: nil)
        }
    }
}

/// A user name and password for HTTP's Basic scheme (RFC 7617), in UTF-8.
package struct BasicCredentials: Sendable, Hashable, CustomStringConvertible {
    package var user: String
    package var password: String

    /// Makes credentials. Returns `nil` if the user name contains a colon, or if either text contains a control
    /// character, because the scheme cannot encode these.
    package init?(user: String, password: String) {
        guard !user.utf8.contains(UInt8(ascii: ":")),
            !(user + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { return nil }
        self.user = user
        self.password = password
    }

    /// The value of the `Authorization` or `Proxy-Authorization` field.
    package var fieldValue: String { "Basic " + Base64.encoded(Array("\(user):\(password)".utf8)) }

    package var description: String { "\(user):…" }
}

/// Base64 with padding (RFC 4648 §4), using OpenSSL.
package enum Base64 {
    package static func encoded(_ bytes: [UInt8]) -> String {
        // Four characters for every three bytes, and a zero at the end.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = unsafe EVP_EncodeBlock(&text, bytes, Int32(clamping: bytes.count))
        return String(decoding: text[..<Int(count)], as: UTF8.self)
    }
}
