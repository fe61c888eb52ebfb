// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import HTTPSyntax

/// The HTTP proxy that connections use. All connections use CONNECT (RFC 6455 §4.1), with and without TLS.
public enum ProxyPolicy: Sendable, Hashable, CustomStringConvertible {
    /// The proxy from the environment: `http_proxy` for `ws:`, `https_proxy` for `wss:`, and `all_proxy` if these are
    /// unset. Hosts in `no_proxy` use no proxy.
    ///
    /// A variable in lower case takes precedence over the same variable in upper case. An empty variable counts as
    /// unset. `HTTP_PROXY` is ignored if `REQUEST_METHOD` is set, because a client can set it in a CGI program.
    ///
    /// `no_proxy` is a list, separated by commas or white space:
    /// - `example.com` and `.example.com` match that name and its subdomains. `*.example.com` matches only the
    ///   subdomains.
    /// - `192.0.2.1` and `2001:db8::1` match that address. `10.0.0.0/8` and `fd00::/8` match the addresses of that
    ///   block. Names are not resolved, so an address never matches a host that is a name.
    /// - `*` matches every host.
    /// - `:port` after an entry restricts it to that port. An IPv6 address with a port is in brackets: `[::1]:8080`.
    ///
    /// Malformed entries match nothing.
    case environment
    /// No proxy.
    case none
    /// A proxy for all connections: `http://user:password@host:port`. The scheme and the port can be left out. The
    /// default port is 1080, as in curl.
    case http(String)

    /// The name of the policy, or the URL of the proxy without its credentials. It is safe in a log.
    public var description: String {
        switch self {
        case .environment: "environment"
        case .none: "none"
        case .http(let url): (try? HTTPProxy(url))?.description ?? "an unusable proxy URL"
        }
    }

    /// Returns the proxy for a connection, or `nil` for a direct connection.
    package func proxy(
        forHost host: URLHost, port: UInt16, isSecure: Bool, environment: ProxyEnvironment = .process
    ) throws(SocketError) -> HTTPProxy? {
        switch self {
        case .none: return nil
        case .http(let url): return try HTTPProxy(url)
        case .environment:
            guard let url = environment.proxyURL(isSecure: isSecure), !environment.exempts(host, port: port) else {
                return nil
            }
            return try HTTPProxy(url)
        }
    }
}

/// An HTTP proxy that accepts CONNECT.
package struct HTTPProxy: Sendable, Hashable, CustomStringConvertible {
    package var host: URLHost
    package var port: UInt16
    package var credentials: BasicCredentials?

    /// Parses the URL of a proxy. Throws ``SocketError`` with the code `invalidConfiguration` or `unsupportedProxy`.
    /// The messages do not contain the URL, because it may contain a password.
    init(_ text: String) throws(SocketError) {
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else {
            throw Self.invalid("it contains white space, a control character, or a character that is not ASCII")
        }
        var rest = text[...]
        if let separator = text.firstRange(of: "://"), URLSyntax.isScheme(text[..<separator.lowerBound]) {
            let scheme = text[..<separator.lowerBound].lowercased()
            guard scheme == "http" else { throw Self.unsupported(scheme) }
            rest = text[separator.upperBound...]
        }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        // Otherwise the start of a password would be parsed as the host and port.
        guard !rest[end...].contains("@") else {
            throw Self.invalid(
                "it contains '/', '?' or '#' before an '@'; in a password, write these as %2F, %3F or %23")
        }
        let authority: URLAuthority
        do {
            authority = try URLAuthority(rest[..<end])
        } catch {
            throw Self.invalid(error.reason)
        }
        // Otherwise `http:/proxy` would be parsed as a host with the name "http".
        guard rest[..<end].last != ":" else { throw Self.invalid("the port after its last colon is missing") }
        host = authority.host
        port = authority.port ?? 1080
        credentials = authority.credentials
    }

    /// Makes the error for a scheme other than `http`. The message only repeats known schemes, because other text may
    /// be a part of a password.
    private static func unsupported(_ scheme: String) -> SocketError {
        let isKnown = ["https", "socks", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme)
        return SocketError(
            .unsupportedProxy,
            "Could not use the proxy: its URL has \(isKnown ? "the scheme \(scheme)" : "an unknown scheme"), which is "
                + "not supported. Use a proxy that accepts CONNECT over http.")
    }

    private static func invalid(_ reason: String) -> SocketError {
        SocketError(.invalidConfiguration, "Could not use the proxy's URL: \(reason).")
    }

    /// The URL without the credentials.
    package var description: String { "http://\(host.hostField):\(port)" }
}

/// The environment variables that concern proxies.
package struct ProxyEnvironment: Sendable {
    let variable: @Sendable (String) -> String?

    package static let process = ProxyEnvironment { name in
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    func proxyURL(isSecure: Bool) -> String? {
        if isSecure { return value("https_proxy") ?? value("HTTPS_PROXY") ?? value("all_proxy") ?? value("ALL_PROXY") }
        let upper = value("REQUEST_METHOD") == nil ? value("HTTP_PROXY") : nil
        return value("http_proxy") ?? upper ?? value("all_proxy") ?? value("ALL_PROXY")
    }

    func exempts(_ host: URLHost, port: UInt16) -> Bool {
        guard let list = value("no_proxy") ?? value("NO_PROXY") else { return false }
        return list.split { $0 == "," || $0.isWhitespace }.contains { entry in
            ProxyExemption(entry)?.covers(host, port: port) ?? false
        }
    }

    private func value(_ name: String) -> String? {
        guard let value = variable(name), !value.isEmpty else { return nil }
        return value
    }
}
