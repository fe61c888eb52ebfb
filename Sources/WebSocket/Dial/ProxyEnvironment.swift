// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The environment variables that tell about proxies.
struct ProxyEnvironment: Sendable {
    private let variable: @Sendable (String) -> String?

    init(_ variables: [String: String]) {
        variable = { variables[$0] }
    }

    private init(reading variable: @escaping @Sendable (String) -> String?) {
        self.variable = variable
    }

    /// The variables of this process.
    static let process = ProxyEnvironment(reading: { name in
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    })

    func proxyURL(isSecure: Bool) -> String? {
        if isSecure { return value("https_proxy") ?? value("HTTPS_PROXY") ?? value("all_proxy") ?? value("ALL_PROXY") }
        let upper = value("REQUEST_METHOD") == nil ? value("HTTP_PROXY") : nil
        return value("http_proxy") ?? upper ?? value("all_proxy") ?? value("ALL_PROXY")
    }

    /// True when `no_proxy` covers the host.
    func exempts(_ host: WebSocketHost, port: UInt16) -> Bool {
        guard let list = value("no_proxy") ?? value("NO_PROXY") else { return false }
        return list.split { $0 == "," || $0.isWhitespace }.contains {
            Self.entry($0.lowercased()[...], covers: host, port)
        }
    }

    private static func entry(_ entry: Substring, covers host: WebSocketHost, _ port: UInt16) -> Bool {
        if entry == "*" { return true }
        switch host {
        case .ipv4(let address): return pattern(of: entry, onPort: port) == address[...]
        case .ipv6(let address, _):
            // An address without brackets has no port.
            let pattern = entry.hasPrefix("[") ? pattern(of: entry, onPort: port) : entry
            return pattern.map { canonical($0) == canonical(address[...]) } ?? false
        case .name(let name):
            guard var pattern = pattern(of: entry, onPort: port) else { return false }
            if pattern.hasPrefix(".") { pattern = pattern.dropFirst() }
            if pattern.hasSuffix(".") { pattern = pattern.dropLast() }
            let name = name.hasSuffix(".") ? name.dropLast() : name[...]
            return !pattern.isEmpty && (name == pattern || name.hasSuffix("." + pattern))
        }
    }

    /// The entry without its port and brackets, or nil when it is for another port.
    private static func pattern(of entry: Substring, onPort port: UInt16) -> Substring? {
        var pattern = entry
        let bracket = entry.lastIndex(of: "]") ?? entry.startIndex
        if let colon = entry[bracket...].lastIndex(of: ":") {
            guard UInt16(entry[entry.index(after: colon)...]) == port else { return nil }
            pattern = entry[..<colon]
        }
        return pattern.hasPrefix("[") && pattern.hasSuffix("]") ? pattern.dropFirst().dropLast() : pattern
    }

    /// The sixteen bytes of an IPv6 address, so that two ways to write one are the same.
    private static func canonical(_ address: Substring) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let isAddress = unsafe bytes.withUnsafeMutableBytes {
            unsafe inet_pton(AF_INET6, String(address), $0.baseAddress)
        }
        return isAddress == 1 ? bytes : nil
    }

    private func value(_ name: String) -> String? {
        guard let value = variable(name), !value.isEmpty else { return nil }
        return value
    }
}
