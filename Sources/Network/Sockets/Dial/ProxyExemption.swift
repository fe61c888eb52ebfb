// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// An entry of `no_proxy`: see ``ProxyPolicy/environment``.
struct ProxyExemption {
    private enum Pattern {
        case everything
        /// A name and its subdomains. If the entry began with `*.`, the name itself is not included.
        case names(String, includesItself: Bool)
        /// The addresses that begin with these bits of sixteen bytes. IPv4 addresses are IPv4-mapped IPv6 addresses.
        case network([UInt8], prefixLength: Int)
    }

    private let pattern: Pattern
    /// The port, or `nil` for every port.
    private let port: UInt16?

    /// Parses an entry. Returns `nil` if it is malformed. Malformed entries match nothing.
    init?(_ entry: some StringProtocol) {
        guard let (host, port) = Self.parts(of: entry.lowercased()[...]) else { return nil }
        self.port = port
        if host == "*" {
            pattern = .everything
        } else if let slash = host.firstIndex(of: "/") {
            guard let bytes = Self.addressBytes(host[..<slash]),
                let length = Self.decimal(host[host.index(after: slash)...], atMost: bytes.count * 8)
            else { return nil }
            pattern = .network(Self.mapped(bytes), prefixLength: 128 - bytes.count * 8 + length)
        } else if let bytes = Self.addressBytes(host) {
            pattern = .network(Self.mapped(bytes), prefixLength: 128)
        } else {
            let isBelow = host.hasPrefix("*.")
            var name = host.dropFirst(isBelow ? 2 : host.hasPrefix(".") ? 1 : 0)
            if name.hasSuffix(".") { name = name.dropLast() }
            guard !name.isEmpty else { return nil }
            pattern = .names(String(name), includesItself: !isBelow)
        }
    }

    func covers(_ host: URLHost, port: UInt16) -> Bool {
        guard self.port ?? port == port else { return false }
        switch (pattern, host) {
        case (.everything, _): return true
        case (.names(let pattern, let includesItself), .name(let name)):
            let name = name.hasSuffix(".") ? name.dropLast() : name[...]
            return includesItself && name == pattern || name.hasSuffix("." + pattern)
        case (.network(let network, let prefixLength), .ipv4(let address)),
            (.network(let network, let prefixLength), .ipv6(let address, _)):
            // A block of IPv6 addresses around the IPv4-mapped ones does not include IPv4 addresses.
            guard let bytes = Self.addressBytes(address), bytes.count == 16 || prefixLength >= 96 else { return false }
            return Self.network(network, prefixLength, covers: Self.mapped(bytes))
        case (.names, _), (.network, _): return false
        }
    }

    // MARK: Reading

    /// Returns the host without brackets but with its prefix length, if it has one, and the port.
    private static func parts(of entry: Substring) -> (host: Substring, port: UInt16?)? {
        var host = entry
        var rest = entry[entry.endIndex...]
        if entry.hasPrefix("["), let bracket = entry.firstIndex(of: "]") {
            // `[::1]`, `[::1]:80`, `[fd00::]/8` and `[fd00::/8]:80`.
            rest = entry[entry.index(after: bracket)...]
            host = entry[entry.index(after: entry.startIndex)..<bracket]
            let colon = rest.firstIndex(of: ":") ?? rest.endIndex
            host += rest[..<colon]
            rest = rest[colon...]
        } else if let colon = entry.firstIndex(of: ":"), entry.lastIndex(of: ":") == colon {
            // An IPv6 address without brackets has more than one colon, and no port.
            host = entry[..<colon]
            rest = entry[colon...]
        }
        if rest.isEmpty { return (host, nil) }
        guard let port = decimal(rest.dropFirst(), atMost: Int(UInt16.max)) else { return nil }
        return (host, UInt16(port))
    }

    private static func decimal(_ digits: Substring, atMost maximum: Int) -> Int? {
        guard digits.utf8.allSatisfy(FieldText.isDigit), let number = Int(digits), number <= maximum else {
            return nil
        }
        return number
    }

    // MARK: Addresses

    /// Returns the four or sixteen bytes of a numeric address, or `nil` for any other text.
    private static func addressBytes(_ text: some StringProtocol) -> [UInt8]? {
        SocketAddress(numericHost: String(text), port: 0)?.host
    }

    /// Returns sixteen bytes: those of an IPv4 address become those of an IPv4-mapped IPv6 address.
    private static func mapped(_ bytes: [UInt8]) -> [UInt8] {
        bytes.count == 4 ? SocketAddress.mappedPrefix + bytes : bytes
    }

    private static func network(_ network: [UInt8], _ prefixLength: Int, covers address: [UInt8]) -> Bool {
        guard network.count == address.count else { return false }
        let wholeBytes = prefixLength / 8
        guard network.prefix(wholeBytes) == address.prefix(wholeBytes) else { return false }
        let bits = prefixLength % 8
        return bits == 0 || (network[wholeBytes] ^ address[wholeBytes]) >> UInt8(8 - bits) == 0
    }
}
