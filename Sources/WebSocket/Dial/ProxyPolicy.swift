// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Whether connections go through an HTTP proxy, by CONNECT (RFC 6455 §4.1), also those without TLS.
public enum ProxyPolicy: Sendable, Hashable {
    /// As the environment says: `http_proxy` for `ws`, `https_proxy` for `wss`, else `all_proxy`, unless `no_proxy`
    /// names the host. The names count in lower case first, then in upper case; an empty variable counts as unset.
    /// `HTTP_PROXY` is ignored where `REQUEST_METHOD` is set: in a CGI program a client could have set it.
    ///
    /// `no_proxy` is a list, separated by commas or white space:
    /// - `example.com` and `.example.com` cover that name and the names below it, `*.example.com` only those below it;
    /// - `192.0.2.1` and `2001:db8::1` cover that address, `10.0.0.0/8` and `fd00::/8` the addresses of that block.
    ///   A host that is a name is not looked up, so addresses never cover it;
    /// - `*` covers everything;
    /// - `:port` behind an entry narrows it to that port. An IPv6 address with a port is in brackets: `[::1]:8080`.
    ///
    /// Entries that are malformed cover nothing.
    case environment
    /// Never.
    case none
    /// Always through this one: `http://user:password@host:port`. The scheme may be left out; the port is then, as
    /// with curl, 1080.
    case http(String)
}

/// An HTTP proxy to send CONNECT to.
struct HTTPProxy: Sendable, Hashable {
    var host: WebSocketHost
    var port: UInt16
    var credentials: BasicCredentials?

    /// - Throws: ``WebSocketError`` with the code `invalidConfiguration` or `unsupportedProxy`. The URL may hold a
    ///   password, so messages leave it out.
    init(_ text: String) throws(WebSocketError) {
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else {
            throw Self.invalid("it holds white space, a control character, or something else than ASCII")
        }
        var rest = text[...]
        if let separator = text.firstRange(of: "://"),
            text[..<separator.lowerBound].utf8.allSatisfy(URLCharacters.isSchemeByte)
        {
            try Self.checkScheme(text[..<separator.lowerBound].lowercased())
            rest = text[separator.upperBound...]
        }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        // What looks like host and port would be the start of a password.
        guard !rest[end...].contains("@") else {
            throw Self.invalid("it holds '/', '?' or '#' before an '@'; in a password, write these as %2F, %3F or %23")
        }
        let authority: URLAuthority
        do {
            authority = try URLAuthority(rest[..<end])
        } catch {
            throw Self.invalid(error.reason)
        }
        // `http:/proxy` would lead to a host with the name http.
        guard rest[..<end].last != ":" else { throw Self.invalid("the port behind its last colon is missing") }
        host = authority.host
        port = authority.port ?? 1080
        credentials = authority.credentials
    }

    /// - Throws: Unless the scheme is http. Other text than a known scheme is not repeated.
    private static func checkScheme(_ scheme: String) throws(WebSocketError) {
        guard scheme != "http" else { return }
        let isKnown = ["https", "socks", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme)
        throw WebSocketError(
            .unsupportedProxy,
            "The proxy's URL has \(isKnown ? "the scheme \(scheme)" : "an unknown scheme"), which is not supported. "
                + "Use a proxy that takes CONNECT over http.")
    }

    private static func invalid(_ reason: String) -> WebSocketError {
        WebSocketError(.invalidConfiguration, "The proxy's URL is not usable: \(reason).")
    }
}

extension ProxyPolicy {
    /// The proxy for a connection, or nil for a direct one.
    func proxy(
        forHost host: WebSocketHost, port: UInt16, isSecure: Bool, environment: ProxyEnvironment
    ) throws(WebSocketError) -> HTTPProxy? {
        switch self {
        case .none: return nil
        case .http(let url): return try HTTPProxy(url)
        case .environment:
            guard let url = environment.proxyURL(isSecure: isSecure) else { return nil }
            guard !environment.exempts(host, port: port) else { return nil }
            return try HTTPProxy(url)
        }
    }
}

extension HTTPProxy: CustomStringConvertible {
    /// Without the credentials.
    var description: String { "http://\(host.hostField):\(port)" }
}

extension ProxyPolicy: CustomStringConvertible {
    /// Fit for a log: the URL of a proxy without its credentials.
    public var description: String {
        switch self {
        case .environment: "environment"
        case .none: "none"
        case .http(let url): (try? HTTPProxy(url))?.description ?? "an unusable proxy URL"
        }
    }
}
