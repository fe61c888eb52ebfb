// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes

/// The target of the POSTs.
struct Endpoint: Sendable, Hashable {
    var scheme: String
    var authority: String
    var path: String

    /// Parses an absolute `http` or `https` URL (RFC 9110 §4.2). A fragment is dropped.
    ///
    /// - Throws: ``JSONRPCHTTPError/invalidURL(_:)`` for any other text, and for a URL with a user name or with
    ///   characters that a URL cannot hold.
    init(_ url: String) throws(JSONRPCHTTPError) {
        let isPlain = url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !Self.excluded.contains($0) }
        guard isPlain, let colon = url.firstIndex(of: ":") else { throw .invalidURL(url) }
        scheme = url[..<colon].lowercased()
        let rest = url[url.index(after: colon)...]
        guard scheme == "http" || scheme == "https", rest.hasPrefix("//") else { throw .invalidURL(url) }
        let target = rest.dropFirst(2).prefix { $0 != "#" }
        authority = String(target.prefix { $0 != "/" && $0 != "?" })
        guard Self.isAuthority(authority) else { throw .invalidURL(url) }
        path = String(target.dropFirst(authority.count))
        if !path.hasPrefix("/") { path = "/" + path }
    }

    /// `"`, `<`, `>`, `\`, `^`, a grave accent, `{`, `|` and `}`. URLs hold them percent-encoded only (RFC 3986 §2).
    private static let excluded = Set(#""<>\^`{|}"#.utf8)

    /// Whether a text is a host, with or without a port.
    private static func isAuthority(_ text: String) -> Bool {
        if text.contains("@") { return false }
        var host = text[...]
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
            let port = text[text.index(after: colon)...]
            guard let number = UInt32(port), number <= 65_535, port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
                return false
            }
            host = text[..<colon]
        }
        if host.hasPrefix("[") { return host.hasSuffix("]") && host.count > 2 }
        return !host.isEmpty && !host.contains(":") && !host.contains("[") && !host.contains("]")
    }

    /// Returns the head of a POST.
    func head(_ fields: HTTPFields) -> HTTPRequest {
        HTTPRequest(method: .post, scheme: scheme, authority: authority, path: path, headerFields: fields)
    }
}
