// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Where a WebSocket server is (RFC 6455 §3), or a Unix domain socket behind which one is.
///
/// Forms: `ws://host:port/path?query`, `wss://…`, and for a Unix domain socket `ws+unix:/run/server.sock`, with the
/// request target after another colon: `ws+unix:/run/server.sock:/path?query`; `wss+unix:` speaks TLS over it. A host
/// is a name, an IPv4 address or an IPv6 address in brackets. A user name and password travel as Basic credentials.
public struct WebSocketURL: Sendable, Hashable {
    /// What to connect to.
    package enum Location: Sendable, Hashable {
        case network(host: WebSocketHost, port: UInt16)
        case unixSocket(path: String)
    }

    /// True for `wss` and `wss+unix`.
    public var isSecure: Bool
    package var location: Location
    /// The path and query as they go into the request line. Starts with a slash.
    package var target: String
    /// From the `user:password@` part, percent-decoded.
    package var credentials: BasicCredentials?

    /// What goes into the Host field (RFC 9110 §7.2). The port is left out where it is the scheme's own.
    package var hostField: String {
        switch location {
        case .network(let host, let port):
            port == (isSecure ? 443 : 80) ? host.hostField : "\(host.hostField):\(port)"
        case .unixSocket: "localhost"
        }
    }

    /// Reads a URL.
    ///
    /// - Throws: ``WebSocketError`` with the code `invalidURL`. The message does not repeat the URL, which may hold a
    ///   password. Refused are
    ///   - bytes that must be percent-encoded (RFC 3986 §2): white space, control characters, anything but ASCII,
    ///     backslashes, quotation marks, and brackets other than those of an IPv6 address, to name a few;
    ///   - a second `@` before the host, a fragment, an unknown scheme, a port out of range;
    ///   - a host that is missing, is longer than 253 bytes, has an empty label (`.example.com`), or ends in a number
    ///     without being an IPv4 address of four decimal parts (`127.1`).
    public init(_ text: String) throws(WebSocketError) {
        if let byte = text.utf8.first(where: { !URLCharacters.isURLByte($0) }) {
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
        if let fault = URLCharacters.fault(in: target, as: .target) { throw Self.invalid(fault) }
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
    }

    private init(unixSocket rest: Substring, isSecure: Bool) throws(WebSocketError) {
        var rest = rest
        if rest.hasPrefix("//") { rest = rest.dropFirst(2) }
        let colon = rest.firstIndex(of: ":") ?? rest.endIndex
        guard rest.hasPrefix("/"), !rest[..<colon].utf8.contains(UInt8(ascii: "?")) else {
            throw Self.invalid("after \(isSecure ? "wss" : "ws")+unix: comes the absolute path of a socket")
        }
        if let fault = URLCharacters.fault(in: rest, as: .target) { throw Self.invalid(fault) }
        guard let path = String(percentEncoded: rest[..<colon]), !path.utf8.contains(0) else {
            throw Self.invalid("its socket path is not properly percent-encoded")
        }
        guard path.utf8.count <= Self.maximumSocketPathBytes else {
            throw Self.invalid("its socket path is longer than \(Self.maximumSocketPathBytes) bytes")
        }
        let target = rest[colon...].dropFirst()
        guard target.isEmpty || target.hasPrefix("/") || target.hasPrefix("?") else {
            throw Self.invalid("what follows the socket path does not start with a slash")
        }
        self.isSecure = isSecure
        self.location = .unixSocket(path: path)
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
        self.credentials = nil
    }

    /// `sockaddr_un` has room for 108 bytes, the last of which is zero.
    private static let maximumSocketPathBytes = 107

    private static func invalid(_ reason: String) -> WebSocketError {
        WebSocketError(.invalidURL, "The URL is not usable: \(reason).")
    }
}

extension WebSocketURL: CustomStringConvertible {
    /// The URL without its credentials, fit for a log: the path of a Unix domain socket is percent-encoded.
    public var description: String {
        switch location {
        case .network: "\(isSecure ? "wss" : "ws")://\(hostField)\(target)"
        case .unixSocket(let path):
            "\(isSecure ? "wss" : "ws")+unix:\(URLCharacters.percentEncoded(socketPath: path)):\(target)"
        }
    }
}
