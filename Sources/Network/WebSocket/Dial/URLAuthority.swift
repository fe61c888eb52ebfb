// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// The part of a URL that names a host: `user:password@host:port` (RFC 3986 §3.2).
/// A ``Fault`` of it completes "Could not use the URL: …".
struct URLAuthority {
    var credentials: BasicCredentials?
    var host: URLHost
    var port: UInt16?

    init(_ text: Substring) throws(Fault) {
        var hostAndPort = text
        if let at = text.firstIndex(of: "@") {
            guard text.lastIndex(of: "@") == at else {
                throw Fault("it contains a second '@' before its host; in a password, write it as %40")
            }
            credentials = try Self.credentials(in: text[..<at])
            hostAndPort = text[text.index(after: at)...]
        }
        let bracket = hostAndPort.lastIndex(of: "]") ?? hostAndPort.startIndex
        guard let colon = hostAndPort[bracket...].firstIndex(of: ":") else {
            host = try URLHost(hostAndPort)
            return
        }
        host = try URLHost(hostAndPort[..<colon])
        port = try Self.port(in: hostAndPort[hostAndPort.index(after: colon)...])
    }

    private static func port(in digits: Substring) throws(Fault) -> UInt16? {
        if digits.isEmpty { return nil }
        guard digits.utf8.allSatisfy(FieldText.isDigit), let port = UInt16(digits), port > 0 else {
            throw Fault("its port is not a number from 1 to 65535")
        }
        return port
    }

    private static func credentials(in text: Substring) throws(Fault) -> BasicCredentials? {
        if text.isEmpty { return nil }
        if let fault = URLCharacters.fault(in: text) { throw Fault(fault) }
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        guard let user = String(percentEncoded: text[..<colon]),
            let password = String(percentEncoded: text[colon...].dropFirst())
        else { throw Fault("its user name or password is not percent-encoded UTF-8") }
        guard let credentials = BasicCredentials(user: user, password: password) else {
            throw Fault("its user name contains a colon, or its user name or password contains a control character")
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
    init(_ text: Substring) throws(Fault) {
        if text.hasPrefix("[") {
            guard text.hasSuffix("]") else { throw Fault("its IPv6 address is not closed by ]") }
            self = try Self.ipv6(in: text.dropFirst().dropLast())
            return
        }
        guard !text.isEmpty else { throw Fault("it has no host") }
        guard text.utf8.count <= Self.maximumNameBytes else {
            throw Fault("its host is longer than \(Self.maximumNameBytes) bytes")
        }
        guard text.utf8.allSatisfy(Self.isNameByte) else {
            throw Fault(
                "its host can contain only letters, digits, '-', '.' and '_'; write other names in their xn-- form")
        }
        guard SocketAddress(numericHost: String(text), port: 0) == nil else {
            self = .ipv4(String(text))
            return
        }
        try Self.checkLabels(of: text)
        self = .name(text.lowercased())
    }

    /// Checks the labels between a name's dots. OpenSSL reads a name that starts with a dot as a rule for all its
    /// subdomains. The resolver reads `127.1`, `0x7f000001` and `2130706433` as addresses, and code that compares names
    /// would not recognize these.
    private static func checkLabels(of name: Substring) throws(Fault) {
        var labels = name.split(separator: ".", omittingEmptySubsequences: false)
        // A dot at the end marks a name as absolute.
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard labels.allSatisfy({ !$0.isEmpty }) else {
            throw Fault("its host starts with a dot, or has two dots in a row")
        }
        guard let last = labels.last?.utf8, !isNumber(last) else {
            throw Fault("its host ends in a number, but is not an IPv4 address of four decimal parts such as 127.0.0.1")
        }
    }

    /// Returns whether the resolver reads a label as a decimal, octal or hexadecimal number.
    private static func isNumber(_ label: Substring.UTF8View) -> Bool {
        if label.allSatisfy(FieldText.isDigit) { return true }
        guard label.first == UInt8(ascii: "0"), label.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x") else {
            return false
        }
        return label.dropFirst(2).allSatisfy(URLCharacters.isHexDigit)
    }

    /// The maximum length of a name. DNS allows 253 bytes (RFC 1035 §2.3.4).
    static let maximumNameBytes = 253

    private static func ipv6(in text: Substring) throws(Fault) -> Self {
        let percent = text.firstIndex(of: "%") ?? text.endIndex
        let address = String(text[..<percent])
        guard address.contains(":"), SocketAddress(numericHost: address, port: 0) != nil else {
            throw Fault("the text in its brackets is not an IPv6 address")
        }
        guard percent != text.endIndex else { return .ipv6(address, zone: nil) }
        let zone = text[percent...]
        guard zone.hasPrefix("%25"), zone.utf8.count > 3, zone.dropFirst(3).utf8.allSatisfy(isNameByte) else {
            throw Fault("the zone of its IPv6 address is not written as %25 and a name")
        }
        return .ipv6(address, zone: String(zone.dropFirst(3)))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        FieldText.isLetterOrDigit(byte) || "-._".utf8.contains(byte)
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

    /// The host that the server's certificate must be for: without a dot at the end of a name, and without a zone.
    var serverName: URLHost {
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

    /// Makes credentials. Returns `nil` if the user name contains a colon, or if either contains a control character,
    /// because the scheme cannot encode these.
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
