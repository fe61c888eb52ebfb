// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// The URL of a WebSocket server (RFC 6455 §3), or of a server at a Unix domain socket.
///
/// The forms are:
/// - `ws://host:port/path?query`, and `wss://…` with TLS. The host is a name, an IPv4 address or an IPv6 address in
///   brackets. The default port is 80, or 443 with TLS.
/// - `ws+unix:/run/server.sock` for a Unix domain socket, and `wss+unix:…` with TLS. The path and query of the request
///   follow another colon: `ws+unix:/run/server.sock:/path?query`.
///
/// A user name and password in the URL are sent as Basic credentials (RFC 7617).
public struct WebSocketURL: Sendable, Hashable, CustomStringConvertible {
    package enum Location: Sendable, Hashable {
        case network(host: URLHost, port: UInt16)
        case unixSocket(path: String)
    }

    /// Whether the connection uses TLS: `true` for `wss:` and `wss+unix:`.
    public var isSecure: Bool
    /// The address of the server.
    package var location: Location
    /// The path and query of the request line. It starts with a slash.
    package var target: String
    /// The percent-decoded user name and password, or `nil` if the URL has none.
    package var credentials: BasicCredentials?

    /// The value of the `Host` field (RFC 9110 §7.2), without the default port of the scheme.
    package var hostField: String {
        switch location {
        case .network(let host, let port):
            port == (isSecure ? 443 : 80) ? host.hostField : "\(host.hostField):\(port)"
        case .unixSocket: "localhost"
        }
    }

    /// Parses a URL.
    ///
    /// These URLs are refused:
    /// - with bytes that must be percent-encoded (RFC 3986 §2), for example white space, control characters, characters
    ///   that are not ASCII, backslashes, quotation marks, and brackets other than those of an IPv6 address;
    /// - with a second `@` before the host, a fragment, an unknown scheme, or a port out of range;
    /// - with a host that is missing, is longer than 253 bytes, has an empty label (`.example.com`), or ends in a
    ///   number without being an IPv4 address of four decimal parts (`127.1`).
    ///
    /// - Parameter text: The URL.
    /// - Throws: ``WebSocketError`` with the code ``WebSocketError/Code/invalidURL``. The message does not repeat the
    ///   URL, because it may contain a password.
    public init(_ text: String) throws(WebSocketError) {
        if let byte = text.utf8.first(where: { !ASCIISet.url.contains($0) }) {
            if byte >= 0x80, Self.hasUnicodeHost(text) {
                throw Self.invalid(
                    "its host contains a character that is not ASCII; write the host in its xn-- form (RFC 5890), such as "
                        + "xn--bcher-kva.example for b\u{FC}cher.example")
            }
            throw Self.invalid(URLCharacters.fault(of: byte))
        }
        guard !text.utf8.contains(UInt8(ascii: "#")) else {
            throw Self.invalid("a WebSocket URL has no fragment (RFC 6455 §3)")
        }
        guard let colon = text.firstIndex(of: ":") else { throw Self.invalid("it has no scheme") }
        let rest = text[text.index(after: colon)...]
        switch text[..<colon].lowercased() {
        case "ws": try self.init(network: rest, isSecure: false)
        case "wss": try self.init(network: rest, isSecure: true)
        case "ws+unix": try self.init(unixSocket: rest, isSecure: false)
        case "wss+unix": try self.init(unixSocket: rest, isSecure: true)
        default: throw Self.invalid("its scheme is not ws, wss, ws+unix or wss+unix")
        }
    }

    /// Returns whether the host of a URL has non-ASCII characters. They cannot be percent-encoded, either, because host
    /// names contain no percent signs.
    private static func hasUnicodeHost(_ text: String) -> Bool {
        guard let slashes = text.firstRange(of: "://") else { return false }
        let authority = text[slashes.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.lastIndex(of: "@").map { authority[$0...] } ?? authority
        return host.utf8.contains { $0 >= 0x80 }
    }

    private init(network rest: Substring, isSecure: Bool) throws(WebSocketError) {
        guard rest.hasPrefix("//") else { throw Self.invalid("its scheme is not followed by //") }
        let afterSlashes = rest.dropFirst(2)
        let end = afterSlashes.firstIndex { $0 == "/" || $0 == "?" } ?? afterSlashes.endIndex
        let authority: URLAuthority
        do {
            authority = try URLAuthority(afterSlashes[..<end])
        } catch {
            throw Self.invalid(error.reason)
        }
        self.isSecure = isSecure
        self.location = .network(host: authority.host, port: authority.port ?? (isSecure ? 443 : 80))
        self.credentials = authority.credentials
        let target = afterSlashes[end...]
        if let fault = URLCharacters.fault(in: target, allowing: .target) { throw Self.invalid(fault) }
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
    }

    private init(unixSocket rest: Substring, isSecure: Bool) throws(WebSocketError) {
        var rest = rest
        if rest.hasPrefix("//") { rest = rest.dropFirst(2) }
        let colon = rest.firstIndex(of: ":") ?? rest.endIndex
        guard rest.hasPrefix("/"), !rest[..<colon].utf8.contains(UInt8(ascii: "?")) else {
            throw Self.invalid("\(isSecure ? "wss" : "ws")+unix: must be followed by the absolute path of a socket")
        }
        if let fault = URLCharacters.fault(in: rest, allowing: .target) { throw Self.invalid(fault) }
        guard let path = String(percentEncoded: rest[..<colon]), !path.utf8.contains(0) else {
            throw Self.invalid("its socket path is not properly percent-encoded")
        }
        guard path.utf8.count <= Self.maximumSocketPathBytes else {
            throw Self.invalid("its socket path is longer than \(Self.maximumSocketPathBytes) bytes")
        }
        let target = rest[colon...].dropFirst()
        guard target.isEmpty || target.hasPrefix("/") || target.hasPrefix("?") else {
            throw Self.invalid("the request path after the socket path does not start with a slash")
        }
        self.isSecure = isSecure
        self.location = .unixSocket(path: path)
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
        self.credentials = nil
    }

    /// The maximum length of a socket's path. `sockaddr_un` has room for 108 bytes, including the terminating zero.
    private static let maximumSocketPathBytes = 107

    private static func invalid(_ reason: String) -> WebSocketError {
        WebSocketError(.invalidURL, "Could not use the URL: \(reason).")
    }

    /// The URL without its credentials. The path of a Unix domain socket is percent-encoded.
    public var description: String {
        switch location {
        case .network: "\(isSecure ? "wss" : "ws")://\(hostField)\(target)"
        case .unixSocket(let path):
            "\(isSecure ? "wss" : "ws")+unix:\(PercentEncoding.encoded(path, keeping: .socketPath)):\(target)"
        }
    }
}
